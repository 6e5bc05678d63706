package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/** Whether a process with registered memory may fork: {@code enum ibv_fork_status}. */
public enum ForkSupport {
    /** It may not: the child's writes could take the parent's pages. */
    DISABLED(Verbs.IBV_FORK_DISABLED()),
    /** It may, since {@link Devices#forkInit()}: the child does not see registered memory. */
    ENABLED(Verbs.IBV_FORK_ENABLED()),
    /** It may, because the kernel, 5.12 or newer, takes care. */
    UNNEEDED(Verbs.IBV_FORK_UNNEEDED()),
    /** Newer than this library. */
    UNKNOWN(-1);

    private final int code;

    ForkSupport(int code) {
        this.code = code;
    }

    static ForkSupport of(int code) {
        for (ForkSupport status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        return UNKNOWN;
    }
}
