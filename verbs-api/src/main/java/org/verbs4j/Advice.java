package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** What memory will be needed for: {@code enum ib_uverbs_advise_mr_advice}. */
public enum Advice {
    /** Reading: pages that are not there are faulted in. */
    PREFETCH(Verbs.IBV_ADVISE_MR_ADVICE_PREFETCH()),
    /** Writing as well. */
    PREFETCH_WRITE(Verbs.IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE()),
    /** Pages that are there, and no others. */
    PREFETCH_NO_FAULT(Verbs.IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT());

    private static final long MOST_LENGTH = 0xffff_ffffL;

    private final int code;

    Advice(int code) {
        this.code = code;
    }

    void give(ProtectionDomain domain, boolean now, MemorySlice... parts) {
        Arguments.range("the count of parts", parts.length, 1, Integer.MAX_VALUE);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = ibv_sge.allocateArray(parts.length, arena);
            for (int i = 0; i < parts.length; i++) {
                put(ibv_sge.asSlice(list, i), domain, parts[i]);
            }
            int errno =
                    ContextVerbs.ibv_advise_mr(
                            domain.handle().address(),
                            code,
                            now ? Verbs.IBV_ADVISE_MR_FLAG_FLUSH() : 0,
                            list.address(),
                            parts.length);
            if (errno != 0) {
                throw UnsupportedVerbs.failure(
                        "ibv_advise_mr",
                        errno,
                        domain.context(),
                        verbs_context.advise_mr$offset(),
                        "cannot " + this + " " + List.of(parts));
            }
        }
    }

    private static void put(MemorySegment entry, ProtectionDomain domain, MemorySlice part) {
        part.region().requirePart(part.offset(), part.length());
        if (!part.region().protectionDomain().sharesMemoryWith(domain)) {
            throw new IllegalArgumentException(
                    part.region() + " is of another protection domain than " + domain);
        }
        Arguments.range("the length of a part", part.length(), 0, MOST_LENGTH);
        ibv_sge.addr(entry, part.address());
        ibv_sge.length(entry, (int) part.length());
        ibv_sge.lkey(entry, part.region().lkey());
    }
}
