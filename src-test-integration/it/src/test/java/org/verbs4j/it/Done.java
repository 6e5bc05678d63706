package org.verbs4j.it;

import org.verbs4j.WorkCompletion;
import org.verbs4j.WorkOpcode;
import org.verbs4j.WorkStatus;

/** A completion to keep, which the library itself never makes. */
record Done(
        long id,
        WorkStatus status,
        int vendorError,
        WorkOpcode opcode,
        long length,
        boolean hasImmediate,
        int immediate,
        int pair) {
    static Done of(WorkCompletion completion) {
        return new Done(
                completion.wrId(),
                completion.status(),
                completion.vendorError(),
                completion.opcode(),
                completion.byteLength(),
                completion.hasImmediate(),
                completion.immediate(),
                completion.queuePairNumber());
    }
}
