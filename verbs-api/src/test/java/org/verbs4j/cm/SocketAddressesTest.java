package org.verbs4j.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.sockaddr;
import org.verbs4j.bindings.sockaddr_storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses of IP come back as they went; others are none. */
class SocketAddressesTest {
    @ParameterizedTest
    @ValueSource(strings = {"10.77.0.1", "255.255.255.255", "2001:db8::7", "::", "fe80::1%7"})
    void whatIsEncodedIsDecoded(String text) {
        var address = new InetSocketAddress(InetAddress.ofLiteral(text), 65_535);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = SocketAddresses.encode(arena, address);
            assertThat(SocketAddresses.decode(encoded)).isEqualTo(address);
        }
    }

    @Test
    void aNativeAddressOfInfiniBandIsNone() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = arena.allocate(sockaddr_storage.layout());
            sockaddr.sa_family(encoded, (short) Verbs.AF_IB());
            assertThat(SocketAddresses.decode(encoded)).isNull();
            assertThat(SocketAddresses.text(SocketAddresses.decode(encoded)))
                    .isEqualTo("(no address)");
        }
    }

    @Test
    void aNameWithoutAddressIsRefused() {
        var unresolved = InetSocketAddress.createUnresolved("some.host", 7);
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> SocketAddresses.encode(arena, unresolved))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("some.host has not been resolved to an IP address");
        }
    }
}
