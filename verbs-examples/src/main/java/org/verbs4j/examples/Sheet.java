package org.verbs4j.examples;

import java.util.List;
import java.util.Locale;

/** Lines as {@code printf} of C writes them, without the last line's end. */
final class Sheet {
    private static final String FLAG_INDENT = "\t".repeat(5);

    private final StringBuilder text = new StringBuilder();

    /**
     * A bit and what C calls it.
     *
     * @param bit one of 64
     * @param name such as {@code XRC}
     */
    record Flag(long bit, String name) {
        /** A flag of 32 bits. */
        static Flag of(int bit, String name) {
            return new Flag(Integer.toUnsignedLong(bit), name);
        }
    }

    /** Adds a line. */
    @SuppressWarnings("AnnotateFormatMethod") // the annotation is Error Prone's own
    void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** Adds the names of the bits that are set, a line each, and one for those without a name. */
    void flags(long bits, List<Flag> known) {
        long unknown = bits;
        for (Flag flag : known) {
            if ((bits & flag.bit()) != 0) {
                line(FLAG_INDENT + "%s", flag.name());
            }
            unknown &= ~flag.bit();
        }
        if (unknown != 0) {
            line(FLAG_INDENT + "Unknown flags: 0x%X", unknown);
        }
    }

    /** Adds a line as those of flags are. */
    void flag(String name) {
        line(FLAG_INDENT + "%s", name);
    }

    @Override
    public String toString() {
        return text.isEmpty() ? "" : text.substring(0, text.length() - 1);
    }
}
