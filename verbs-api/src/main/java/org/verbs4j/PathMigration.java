package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/** Which of its two ways a queue pair uses: {@code enum ibv_mig_state}. */
public enum PathMigration {
    /** The second is in use, or there is one only. */
    MIGRATED(Verbs.IBV_MIG_MIGRATED()),
    /** Asks both ends to be ready to change. */
    REARM(Verbs.IBV_MIG_REARM()),
    /** Both ends are ready to change. */
    ARMED(Verbs.IBV_MIG_ARMED()),
    /** Newer than this library. */
    UNKNOWN(-1);

    private final int code;

    PathMigration(int code) {
        this.code = code;
    }

    /** Its number in C. */
    public int code() {
        return code;
    }

    /** The state with this number in C, {@link #UNKNOWN} when there is none. */
    public static PathMigration of(int code) {
        for (PathMigration state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return UNKNOWN;
    }
}
