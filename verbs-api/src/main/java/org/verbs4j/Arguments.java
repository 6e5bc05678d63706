package org.verbs4j;

/** The sentences of rejected arguments: what, which argument, its limit. */
final class Arguments {
    private Arguments() {}

    /**
     * Refuses a value outside of {@code least} to {@code most}, both included.
     *
     * @return the value
     */
    static int range(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw outOfRange(name, value, least, most);
        }
        return value;
    }

    /** As {@link #range(String, int, int, int)}, for a {@code long}. */
    static long range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw outOfRange(name, value, least, most);
        }
        return value;
    }

    private static IllegalArgumentException outOfRange(
            String name, long value, long least, long most) {
        return new IllegalArgumentException(
                name + " is " + value + ", but must be " + least + " to " + most);
    }

    /** Refuses a part that does not lie within {@code 0} to {@code size}; safe against overflow. */
    static void part(String whole, long offset, long length, long size) {
        if ((offset | length) < 0 || offset > size || length > size - offset) {
            throw new IllegalArgumentException(
                    "offset "
                            + offset
                            + " and length "
                            + length
                            + " lie outside of the "
                            + whole
                            + " of "
                            + size
                            + " bytes");
        }
    }
}
