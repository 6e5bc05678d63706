package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.cm.AddressInfo;
import org.verbs4j.cm.AddressInfo.Hints;
import org.verbs4j.cm.ConnectionException;
import org.verbs4j.cm.Connector;
import org.verbs4j.cm.Listener;
import org.verbs4j.cm.PortSpace;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The connection manager's own resolver. Item 87. */
class CmAddressInfoIT {
    @Test
    void aNumberIsFoundForEitherKindOfService() throws Exception {
        InetAddress here = CmPlace.addresses().getFirst();
        for (PortSpace space : new PortSpace[] {PortSpace.TCP, PortSpace.UDP}) {
            AddressInfo found =
                    AddressInfo.find(
                                    here.getHostAddress(),
                                    "7174",
                                    Hints.toConnect(space).withNumericHost())
                            .getFirst();
            assertThat(found.destination()).isEqualTo(new InetSocketAddress(here, 7174));
            assertThat(found.portSpace()).isEqualTo(space);
            assertThat(found.passive()).isFalse();
            assertThat(found.connectData().remaining()).isZero();
        }
    }

    @Test
    void anAddressToListenAtIsTheSource() throws Exception {
        InetAddress here = CmPlace.addresses().getFirst();
        AddressInfo found =
                AddressInfo.find(here.getHostAddress(), "7175", Hints.toListen(PortSpace.TCP))
                        .getFirst();
        assertThat(found.passive()).isTrue();
        assertThat(found.source()).isEqualTo(new InetSocketAddress(here, 7175));
        assertThat(found.destination()).isNull();
    }

    @Test
    void whatIsFoundConnects() throws Exception {
        try (Listener listener = Listener.bind(CmPlace.anyPort(), 1)) {
            InetSocketAddress at = listener.localAddress();
            AddressInfo found =
                    AddressInfo.find(
                                    at.getAddress().getHostAddress(),
                                    String.valueOf(at.getPort()),
                                    Hints.toConnect(PortSpace.TCP).withSource(CmPlace.anyPort()))
                            .getFirst();
            assertThat(found.source().getAddress()).isEqualTo(CmPlace.addresses().getFirst());
            try (Connector connector =
                    Connector.to(found.destination())
                            .from(found.source())
                            .resolve(CmPlace.limit(10))) {
                assertThat(connector.context()).isNotNull();
            }
        }
    }

    @Test
    @Holds("87")
    void anUnknownHostIsSaidInTheResolversWords() {
        assertThatThrownBy(
                        () ->
                                AddressInfo.find(
                                        "nowhere.invalid",
                                        "1",
                                        Hints.toConnect(PortSpace.TCP).withNumericHost()))
                .isInstanceOfSatisfying(
                        ConnectionException.class,
                        e -> {
                            assertThat(e.errno()).isZero();
                            assertThat(e.verb()).isEqualTo("rdma_getaddrinfo");
                        })
                .hasMessageContaining("nowhere.invalid")
                .hasMessageContaining("Name or service not known (-2)");
        assertThatThrownBy(() -> AddressInfo.find(null, null, Hints.toConnect(PortSpace.TCP)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("neither a host nor a service");
    }
}
