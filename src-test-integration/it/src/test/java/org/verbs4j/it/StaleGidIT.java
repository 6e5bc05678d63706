package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.AddressHandle;
import org.verbs4j.AddressVector;
import org.verbs4j.CompletionQueue;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.Gid;
import org.verbs4j.GidEntry;
import org.verbs4j.Port;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.QueuePairEndpoint;
import org.verbs4j.QueuePairTransitionException;
import org.verbs4j.RcQueuePair;
import org.verbs4j.VerbsException;
import org.verbs4j.examples.Resources;

import java.util.Optional;

/** A GID that was read before its address went, or another took its place in the table. */
class StaleGidIT {
    private static final String OLD = "10.79.0.9";
    private static final String NEW = "10.79.0.10";

    private final Resources open = new Resources();
    private SpareDevice spare;
    private Port port;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    /** The entry of the old address, which is read first. */
    private GidEntry read;

    @BeforeEach
    void open() throws Exception {
        spare = open.keep(SpareDevice.make());
        DeviceContext context = open.keep(Devices.byName(spare.name()).open());
        domain = open.keep(context.newProtectionDomain());
        queue = open.keep(context.newCompletionQueue(16));
        port = context.port(1);
        add(OLD);
        read = entry(OLD).orElseThrow();
    }

    @AfterEach
    void close() {
        open.close();
    }

    private Optional<GidEntry> entry(String address) {
        Gid gid = Gid.parse(address);
        return port.gidTable().stream().filter(entry -> entry.gid().equals(gid)).findFirst();
    }

    /** The table follows the address after a moment. */
    private void add(String address) throws Exception {
        spare.ip("addr", "add", address + "/24", "dev", spare.netdev());
        Waits.until("the GID of " + address, () -> entry(address).isPresent());
    }

    private void remove(String address) throws Exception {
        spare.ip("addr", "del", address + "/24", "dev", spare.netdev());
        Waits.until("the end of the GID of " + address, () -> entry(address).isEmpty());
    }

    private RcQueuePair pair() {
        return open.keep(domain.newRcQueuePair(queue, queue).gid(read).build());
    }

    /** As a peer with the given address would tell. */
    private static QueuePairEndpoint at(RcQueuePair pair, QueuePairEndpoint told, String address) {
        return new QueuePairEndpoint(
                pair.number(), told.packetSequence(), told.lid(), told.mtu(), Gid.parse(address));
    }

    @Test
    void anIndexThatBecameEmptyIsRefusedByTheKernelAndNamed() throws Exception {
        RcQueuePair pair = pair();
        QueuePairEndpoint own = pair.endpoint();
        remove(OLD);
        assertThatThrownBy(() -> pair.connect(own))
                .isInstanceOf(QueuePairTransitionException.class)
                .hasMessageContaining("GID index " + read.index() + " is empty");
        assertThatThrownBy(() -> domain.newAddressHandle(AddressVector.of(own, read)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("GID index " + read.index() + " is empty");
    }

    @Test
    void anotherGidInItsPlaceIsNotSentFromInSilence() throws Exception {
        RcQueuePair pair = pair();
        QueuePairEndpoint own = pair.endpoint();
        remove(OLD);
        add(NEW);
        GidEntry now = entry(NEW).orElseThrow();
        assertThat(now.index()).isEqualTo(read.index());
        assertThatThrownBy(() -> pair.connect(at(pair, own, NEW)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining(
                        "was %s of %s when it was read and is %s of %s now"
                                .formatted(read.gid(), read.type(), now.gid(), now.type()))
                .hasMessageContaining(read.index() + " (" + Gid.parse(NEW) + ")");
        assertThatThrownBy(pair::endpoint).isInstanceOf(VerbsException.class);
        // An address vector has the index alone, as in C.
        try (AddressHandle handle =
                domain.newAddressHandle(AddressVector.of(at(pair, own, NEW), read))) {
            assertThat(handle).isNotNull();
        }
    }

    @Test
    void whatIsConnectedKeepsItsEntry() throws Exception {
        RcQueuePair pair = pair();
        pair.connect(pair.endpoint());
        remove(OLD);
        add(NEW);
        assertThat(entry(NEW).orElseThrow().index()).isNotEqualTo(read.index());
        assertThat(pair.query().addressVector().route().sourceGidIndex()).isEqualTo(read.index());
    }

    @Test
    void anOpenHandleKeepsItsEntry() throws Exception {
        try (AddressHandle handle =
                domain.newAddressHandle(AddressVector.of(pair().endpoint(), read))) {
            remove(OLD);
            add(NEW);
            assertThat(entry(NEW).orElseThrow().index()).isNotEqualTo(read.index());
            assertThat(handle.protectionDomain()).isSameAs(domain);
        }
    }

    @Test
    void theSameAddressAgainIsTheSameEntry() throws Exception {
        RcQueuePair pair = pair();
        remove(OLD);
        add(OLD);
        assertThat(entry(OLD)).contains(read);
        pair.connect(pair.endpoint());
    }
}
