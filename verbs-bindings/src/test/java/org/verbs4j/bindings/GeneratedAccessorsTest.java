package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The generated setters and getters beside the offsets that GeneratedLayoutsTest has compared with
 * C.
 */
class GeneratedAccessorsTest {
    private final List<String> wrong = new ArrayList<>();
    private int fields;

    @Test
    void everySetterWritesTheBytesOfItsFieldAndNoOther() throws ReflectiveOperationException {
        for (String struct : GeneratedSources.structs()) {
            check(GeneratedClaims.classNamed(struct));
        }
        System.out.printf(
                "accessors: %d setters and getters tried, %d wrong%n", fields, wrong.size());
        assertThat(wrong).isEmpty();
        assertThat(fields).isGreaterThan(800);
    }

    private void check(Class<?> struct) throws ReflectiveOperationException {
        for (Method offset : struct.getDeclaredMethods()) {
            if (offset.getName().endsWith("$offset")) {
                checkField(
                        struct,
                        offset.getName().replace("$offset", ""),
                        (long) offset.invoke(null));
            }
        }
        for (Class<?> nested : struct.getDeclaredClasses()) {
            if (GeneratedClaims.isStruct(nested)) {
                check(nested);
            }
        }
    }

    private void checkField(Class<?> struct, String field, long offset)
            throws ReflectiveOperationException {
        MemoryLayout layout = (MemoryLayout) struct.getMethod(field + "$layout").invoke(null);
        Method setter = setter(struct, field);
        Method getter = struct.getMethod(field, MemorySegment.class);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(GeneratedClaims.layoutOf(struct));
            MemorySegment expected = arena.allocate(GeneratedClaims.layoutOf(struct));
            expected.asSlice(offset, layout.byteSize()).fill((byte) 0xff);
            Object value = allOnes(layout, arena);

            setter.invoke(null, memory, value);

            boolean written = memory.mismatch(expected) == -1;
            if (!written || !same(layout, getter.invoke(null, memory), value)) {
                wrong.add(struct.getName() + "." + field);
            }
        }
        fields++;
    }

    private static Method setter(Class<?> struct, String field) {
        return Arrays.stream(struct.getMethods())
                .filter(method -> method.getName().equals(field))
                .filter(method -> method.getReturnType() == void.class)
                .filter(method -> method.getParameterCount() == 2)
                .findFirst()
                .orElseThrow();
    }

    private static Object allOnes(MemoryLayout layout, Arena arena) {
        return switch (layout) {
            case ValueLayout.OfByte _ -> (byte) -1;
            case ValueLayout.OfShort _ -> (short) -1;
            case ValueLayout.OfInt _ -> -1;
            case ValueLayout.OfLong _ -> -1L;
            case AddressLayout _ -> MemorySegment.ofAddress(-1);
            default -> arena.allocate(layout).fill((byte) 0xff);
        };
    }

    private static boolean same(MemoryLayout layout, Object read, Object written) {
        return switch (layout) {
            case AddressLayout _ -> ((MemorySegment) read).address() == -1;
            case ValueLayout _ -> read.equals(written);
            default -> ((MemorySegment) read).mismatch((MemorySegment) written) == -1;
        };
    }
}
