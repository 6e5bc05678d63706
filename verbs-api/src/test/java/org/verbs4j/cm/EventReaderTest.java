package org.verbs4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_cm_event;
import org.verbs4j.bindings.rdma_cm_id;
import org.verbs4j.cm.ConnectionEvent.Failed;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Events that soft-RoCE does not give. */
class EventReaderTest {
    private final Arena arena = Arena.ofConfined();
    private final ConnectionId id = newId();

    /** No event is read from a channel here. */
    @SuppressWarnings("NullAway")
    private ConnectionId newId() {
        MemorySegment memory = arena.allocate(rdma_cm_id.layout());
        rdma_cm_id.ps(memory, PortSpace.UDP.code());
        return new ConnectionId(null, memory, ConnectionId.Origin.CREATED);
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private ConnectionEvent read(int code, int status) {
        MemorySegment event = arena.allocate(rdma_cm_event.layout());
        rdma_cm_event.event(event, code);
        rdma_cm_event.status(event, status);
        return EventReader.read(event, id);
    }

    /** Those of a newer librdmacm are the next ones. */
    @ParameterizedTest
    @ValueSource(ints = {16, 17, 4711, -1, Integer.MAX_VALUE})
    void anUnknownEventIsKeptWithItsNumberAndStatus(int code) {
        assertThat(read(code, -5)).isEqualTo(new ConnectionEvent.Other(id, code, -5));
    }

    @Test
    void aGroupThatHasBeenLeftIsNotTaken() {
        int code = Verbs.RDMA_CM_EVENT_MULTICAST_ERROR();
        assertThat(read(code, -Posix.ENODEV()))
                .isEqualTo(new ConnectionEvent.Other(id, code, -Posix.ENODEV()));
    }

    @Test
    void whatOnlyInfiniBandAndARenamedInterfaceGive() {
        assertThat(read(Verbs.RDMA_CM_EVENT_ADDR_CHANGE(), 0))
                .isEqualTo(new ConnectionEvent.AddressChanged(id));
        assertThat(read(Verbs.RDMA_CM_EVENT_ROUTE_ERROR(), -Posix.ETIMEDOUT()))
                .isInstanceOfSatisfying(
                        Failed.class,
                        failed -> {
                            assertThat(failed.reason()).isEqualTo(Failed.Reason.ROUTE);
                            assertThat(failed.status()).isEqualTo(-Posix.ETIMEDOUT());
                        });
    }
}
