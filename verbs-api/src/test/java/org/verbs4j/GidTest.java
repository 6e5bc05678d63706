package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.util.Random;

class GidTest {
    private static final int AF_INET6 = 10;
    private static final int TEXT_LENGTH = 46;
    private static final ValueLayout.OfLong BIG_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    @ParameterizedTest
    @CsvSource({
        "fe80::82:5aff:fe73:e278, fe80::82:5aff:fe73:e278",
        "::ffff:10.77.0.1, ::ffff:10.77.0.1",
        "10.77.0.1, ::ffff:10.77.0.1",
        "::, ::",
        "::1, ::1",
        "::a4d:1, ::10.77.0.1",
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

    @Test
    void theTextOfManyGidsIsWhatCWrites() throws Throwable {
        MethodHandle inetNtop = inetNtop();
        Random random = new Random(4391);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(16);
            MemorySegment text = arena.allocate(TEXT_LENGTH);
            for (int i = 0; i < 20_000; i++) {
                Gid gid = new Gid(mostlyZeroWords(random), mostlyZeroWords(random));
                bytes.set(BIG_ENDIAN, 0, gid.subnetPrefix());
                bytes.set(BIG_ENDIAN, 8, gid.interfaceId());
                MemorySegment result =
                        (MemorySegment) inetNtop.invokeExact(AF_INET6, bytes, text, TEXT_LENGTH);
                assertThat(result).isNotEqualTo(MemorySegment.NULL);
                assertThat(gid).hasToString(text.getString(0));
            }
        }
    }

    private static MethodHandle inetNtop() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("inet_ntop"),
                FunctionDescriptor.of(
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT));
    }

    /** Runs of zeros of every length, and ffff where a mapped address has it. */
    private static long mostlyZeroWords(Random random) {
        long value = 0;
        for (int i = 0; i < 4; i++) {
            long word =
                    switch (random.nextInt(5)) {
                        case 0 -> random.nextInt(0x10000);
                        case 1 -> 0xffff;
                        default -> 0;
                    };
            value = value << 16 | word;
        }
        return value;
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
