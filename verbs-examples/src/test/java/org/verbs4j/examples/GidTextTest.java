package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.verbs4j.Gid;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.Random;

class GidTextTest {
    private static final int AF_INET6 = 10;
    private static final int TEXT_LENGTH = 46;

    @ParameterizedTest
    @CsvSource({
        "0,                0,                ::",
        "0,                1,                ::1",
        "0,                0000ffff0a4d0001, ::ffff:10.77.0.1",
        "0,                000000000a4d0001, ::10.77.0.1",
        "fe80000000000000, 505400fffe123456, fe80::5054:ff:fe12:3456",
        "20010db800000001, 0001000000000001, 2001:db8:0:1:1::1",
        "20010db800000000, 0001000000000000, 2001:db8:0:0:1::",
        "0001000000000000, 0,                1::",
        "1111222233334444, 5555666677778888, 1111:2222:3333:4444:5555:6666:7777:8888",
        "0001000000020003, 0004000500060007, 1:0:2:3:4:5:6:7",
    })
    void isWhatTheCToolsPrint(String subnetPrefix, String interfaceId, String text) {
        assertThat(GidText.of(gid(subnetPrefix, interfaceId))).isEqualTo(text);
    }

    @Test
    void agreesWithInetNtopOnManyGids() throws Throwable {
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
                assertThat(GidText.of(gid)).isEqualTo(text.getString(0));
            }
        }
    }

    private static final ValueLayout.OfLong BIG_ENDIAN =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    @SuppressWarnings("restricted") // the oracle of this test is C
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

    private static Gid gid(String subnetPrefix, String interfaceId) {
        return new Gid(
                Long.parseUnsignedLong(subnetPrefix, 16), Long.parseUnsignedLong(interfaceId, 16));
    }
}
