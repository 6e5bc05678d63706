package org.verbs4j.bindings;

/**
 * What the generated code says a C expression is worth.
 *
 * @param kind what the expression is about, for the count
 * @param subject the struct, field or constant, so that its size and offset count once
 * @param expression a C constant expression that includes verbs4j.h and posix.h understand
 * @param value what Java takes it for
 */
record Claim(Kind kind, String subject, String expression, long value) {
    enum Kind {
        STRUCT,
        FIELD,
        CONSTANT
    }

    /** The claim as one line, for a JVM that hands its claims to another. */
    String toLine() {
        return String.join("\t", kind.name(), subject, expression, Long.toString(value));
    }

    static Claim ofLine(String line) {
        String[] part = line.split("\t", -1);
        return new Claim(Kind.valueOf(part[0]), part[1], part[2], Long.parseLong(part[3]));
    }
}
