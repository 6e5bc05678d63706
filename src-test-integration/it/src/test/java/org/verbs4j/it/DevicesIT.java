package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.Device;
import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.GidEntry;
import org.verbs4j.NodeType;
import org.verbs4j.Port;
import org.verbs4j.PortAttributes;
import org.verbs4j.VerbsException;

import java.util.List;

class DevicesIT {
    @Test
    @Holds("1")
    void everyListedDeviceOpensAndIsTheOneThatWasListed() {
        List<Device> devices = Devices.list();
        assertThat(devices).isNotEmpty();
        for (Device device : devices) {
            assertThat(device.nodeType()).isNotEqualTo(NodeType.UNKNOWN);
            try (DeviceContext context = device.open()) {
                assertThat(context.device()).isEqualTo(device);
                assertThat(context.attributes().nodeGuid()).isEqualTo(device.guid());
                assertThat(context.completionVectors()).isPositive();
                assertThat(context.provider()).isNotEqualTo("unknown");
            }
        }
    }

    @Test
    @Holds("2")
    void deviceLimitsArePlausible() {
        try (DeviceContext context = Devices.first().open()) {
            DeviceAttributes attributes = context.attributes();
            assertThat(attributes.maxQueuePairs()).isPositive();
            assertThat(attributes.maxQueuePairRequests()).isPositive();
            assertThat(attributes.maxSge()).isPositive();
            assertThat(attributes.maxCompletions()).isPositive();
            assertThat(attributes.portCount()).isEqualTo(context.ports().size());
            if (context.provider().equals("rxe")) {
                assertThat(attributes.maxQueuePairRequests()).isEqualTo(1_048_576);
                assertThat(attributes.maxSge()).isEqualTo(32);
                assertThat(attributes.maxCompletions()).isEqualTo(32_767);
                assertThat(attributes.memory().maxRegions()).isEqualTo(524_287);
            }
        }
    }

    @Test
    void aDeviceThatDoesNotExistIsRefusedWithTheNamesOfThoseThatDo() {
        assertThatThrownBy(() -> Devices.byName("mlx5_99"))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("mlx5_99")
                .hasMessageContaining(Devices.first().name());
        assertThatThrownBy(
                        () ->
                                new Device(
                                                "gone0",
                                                Devices.first().guid(),
                                                NodeType.UNKNOWN,
                                                Devices.first().transport())
                                        .open())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("gone0");
    }

    @Test
    void anActivePortTellsItsMtuAndLinkLayer() {
        try (DeviceContext context = Devices.first().open()) {
            PortAttributes port = context.activePort().attributes();
            assertThat(port.isActive()).isTrue();
            assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
            assertThat(port.maxMessageSize()).isPositive();
            assertThat(port.linkLayer()).isNotEqualTo(PortAttributes.LinkLayer.UNKNOWN);
        }
    }

    @Test
    @Holds("4")
    void aPortThatDoesNotExistIsRefusedWithItsNumber() {
        try (DeviceContext context = Devices.first().open()) {
            assertThatThrownBy(() -> context.port(0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> context.port(context.ports().size() + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no port " + (context.ports().size() + 1));
        }
    }

    @Test
    @Holds("7")
    void theGidTableHasEntriesInUseOnlyAndEachIsFoundByItsIndex() {
        try (DeviceContext context = Devices.first().open()) {
            Port port = context.activePort();
            List<GidEntry> table = port.gidTable();
            assertThat(table).isNotEmpty().noneMatch(entry -> entry.gid().isZero());
            assertThat(table)
                    .allSatisfy(entry -> assertThat(port.gid(entry.index())).isEqualTo(entry));
        }
    }

    @Test
    void theRoutableGidPrefersAnIpv4Address() {
        try (DeviceContext context = Devices.first().open()) {
            Port port = context.activePort();
            GidEntry routable = port.routableGid().orElseThrow();
            assertThat(routable.type()).isEqualTo(GidEntry.Type.ROCE_V2);
            boolean mapped =
                    port.gidTable().stream()
                            .anyMatch(entry -> entry.isRoutable() && entry.gid().isIpv4Mapped());
            assertThat(routable.gid().isIpv4Mapped()).isEqualTo(mapped);
        }
    }

    @Test
    @Holds("5")
    void anEmptyGidIndexIsRefusedWithTheUsableOnes() {
        try (DeviceContext context = Devices.first().open()) {
            Port port = context.activePort();
            assertThatThrownBy(() -> port.gid(777))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no GID at index 777")
                    .hasMessageContaining("usable indexes: ")
                    .hasMessageContaining(port.routableGid().orElseThrow().gid().toString());
        }
    }

    @Test
    @Holds("8")
    void theFirstPartitionKeyIsTheDefaultAndOneBeyondTheTableIsRefused() {
        try (DeviceContext context = Devices.first().open()) {
            Port port = context.activePort();
            assertThat(port.partitionKey(0)).isEqualTo(0xffff);
            assertThatThrownBy(() -> port.partitionKey(port.attributes().partitionKeyTableLength()))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ibv_query_pkey");
        }
    }
}
