package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;

class GidTest {
    @ParameterizedTest
    @CsvSource({
        "fe80::82:5aff:fe73:e278, fe80::82:5aff:fe73:e278",
        "::ffff:10.77.0.1, ::ffff:10.77.0.1",
        "10.77.0.1, ::ffff:10.77.0.1",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::"
    })
    void theTextIsThatOfInetNtop(String text, String expected) {
        Gid gid = Gid.parse(text);
        assertThat(gid).hasToString(expected);
        assertThat(Gid.parse(gid.toString())).isEqualTo(gid);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "rxe0", "example.org", "fe80:::1", "300.1.1.1", "1:2"})
    void whatIsNoAddressIsRefusedWithoutAskingTheNetwork(String text) {
        assertThatThrownBy(() -> Gid.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a GID");
    }

    @Test
    void theHalvesAreBigEndianNumbers() {
        assertThat(Gid.parse("102:304:506:708:90a:b0c:d0e:f10"))
                .isEqualTo(new Gid(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
    }

    @Test
    void anAddressAndItsGidAreOneToOne() throws Exception {
        InetAddress four = InetAddress.getByAddress(new byte[] {(byte) 200, 77, 0, (byte) 255});
        assertThat(Gid.of(four).isIpv4Mapped()).isTrue();
        assertThat(Gid.of(four).toInetAddress()).isInstanceOf(Inet4Address.class).isEqualTo(four);
        InetAddress six = InetAddress.ofLiteral("2001:db8::7");
        assertThat(Gid.of(six).isIpv4Mapped()).isFalse();
        assertThat(Gid.of(six).toInetAddress()).isInstanceOf(Inet6Address.class).isEqualTo(six);
    }

    @Test
    void linkLocalAndZeroAreRecognised() {
        assertThat(Gid.parse("fe80::1").isLinkLocal()).isTrue();
        assertThat(Gid.parse("febf::1").isLinkLocal()).isTrue();
        assertThat(Gid.parse("fec0::1").isLinkLocal()).isFalse();
        assertThat(Gid.zero().isZero()).isTrue();
        assertThat(Gid.parse("::1").isZero()).isFalse();
    }

    @Test
    void theGidThatReachesFurthestIsPreferred() {
        int mapped = Port.reach(Gid.parse("10.0.0.1"));
        int global = Port.reach(Gid.parse("2001:db8::1"));
        int local = Port.reach(Gid.parse("fe80::1"));
        assertThat(mapped).isLessThan(global);
        assertThat(global).isLessThan(local);
    }

    @Test
    void onlyRoceVersionTwoThatIsNotZeroIsRoutable() {
        Gid gid = Gid.parse("10.0.0.1");
        assertThat(new GidEntry(gid, 0, 1, GidEntry.Type.ROCE_V2, 2).isRoutable()).isTrue();
        assertThat(new GidEntry(gid, 0, 1, GidEntry.Type.ROCE_V1, 2).isRoutable()).isFalse();
        assertThat(new GidEntry(Gid.zero(), 0, 1, GidEntry.Type.ROCE_V2, 2).isRoutable()).isFalse();
    }

    @Test
    void aGuidIsWrittenAsTheToolsWriteIt() {
        assertThat(new Guid(0x00825afffe73e278L)).hasToString("0082:5aff:fe73:e278");
    }
}
