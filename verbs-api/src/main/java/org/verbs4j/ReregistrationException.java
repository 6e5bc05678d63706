package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/**
 * A region could not be changed, {@code ibv_rereg_mr(3)}; {@link #outcome()} tells what has become
 * of it.
 */
public final class ReregistrationException extends VerbsException {
    private static final long serialVersionUID = 1L;

    private final int result;

    /** What has become of the region. */
    public enum RegionState {
        /** It is as before. */
        UNCHANGED,
        /** It has been changed as asked. */
        CHANGED,
        /** It can only be closed. */
        UNUSABLE
    }

    /** Where it failed: {@code enum ibv_rereg_mr_err_code}. */
    public enum Outcome {
        /** The arguments were refused. */
        INPUT(
                Verbs.IBV_REREG_MR_ERR_INPUT(),
                RegionState.UNCHANGED,
                "the arguments are refused, and the region is as before"),
        /** The new memory could not be kept from forked children. */
        NEW_MEMORY(
                Verbs.IBV_REREG_MR_ERR_DONT_FORK_NEW(),
                RegionState.UNCHANGED,
                "the new memory could not be kept from forked children, and the region is as"
                        + " before"),
        /** The old memory could not be given back to forked children. */
        OLD_MEMORY(
                Verbs.IBV_REREG_MR_ERR_DO_FORK_OLD(),
                RegionState.CHANGED,
                "the region was changed, but its old memory stays away from forked children"),
        /** The kernel or the device failed. */
        COMMAND(
                Verbs.IBV_REREG_MR_ERR_CMD(),
                RegionState.UNUSABLE,
                "the device failed half way, so close the region"),
        /** As {@link #COMMAND}, and the new memory stays away from forked children. */
        COMMAND_AND_NEW_MEMORY(
                Verbs.IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW(),
                RegionState.UNUSABLE,
                "the device failed half way, so close the region; the new memory stays away from"
                        + " forked children"),
        /** Newer than this library. */
        UNKNOWN(
                0,
                RegionState.UNUSABLE,
                "the library does not say what became of it, so close the region");

        private final int code;
        private final RegionState state;
        private final String explanation;

        Outcome(int code, RegionState state, String explanation) {
            this.code = code;
            this.state = state;
            this.explanation = explanation;
        }

        /** What has become of the region. */
        public RegionState state() {
            return state;
        }

        String explanation() {
            return explanation;
        }

        /** The outcome with this number in C, {@link #UNKNOWN} when there is none. */
        public static Outcome of(int code) {
            for (Outcome outcome : values()) {
                if (outcome.code == code) {
                    return outcome;
                }
            }
            return UNKNOWN;
        }
    }

    ReregistrationException(int errno, int result, String detail) {
        super("ibv_rereg_mr", errno, detail);
        this.result = result;
    }

    /** Where it failed, and what has become of the region. */
    public Outcome outcome() {
        return Outcome.of(result);
    }

    /**
     * The number of {@code enum ibv_rereg_mr_err_code}, also when it is newer than this library.
     */
    public int result() {
        return result;
    }
}
