package org.verbs4j.jmh;

/** A row of the report: an operation on the null device or on a real one. */
sealed interface Measured permits Operation, DeviceOperation {
    /** What identifies it in the raw results. */
    String name();

    String title();

    static Measured valueOf(String name) {
        for (Operation operation : Operation.values()) {
            if (operation.name().equals(name)) {
                return operation;
            }
        }
        return DeviceOperation.valueOf(name);
    }
}
