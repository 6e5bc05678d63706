package org.verbs4j;

import org.verbs4j.bindings.Verbs;

/**
 * A limit of the rate of a path: {@code enum ibv_rate}. {@link #MAX} is none.
 *
 * <p>InfiniBand counted in multiples of 2.5 Gbit/s at first; later rates, such as 14 or 100 Gbit/s,
 * are told from their megabits only.
 */
public enum Rate {
    /** The link's own rate. */
    MAX(Verbs.IBV_RATE_MAX()),
    /** 2.5 Gbit/s. */
    GBPS_2_5(Verbs.IBV_RATE_2_5_GBPS()),
    /** 5 Gbit/s. */
    GBPS_5(Verbs.IBV_RATE_5_GBPS()),
    /** 10 Gbit/s. */
    GBPS_10(Verbs.IBV_RATE_10_GBPS()),
    /** 14 Gbit/s. */
    GBPS_14(Verbs.IBV_RATE_14_GBPS()),
    /** 20 Gbit/s. */
    GBPS_20(Verbs.IBV_RATE_20_GBPS()),
    /** 25 Gbit/s. */
    GBPS_25(Verbs.IBV_RATE_25_GBPS()),
    /** 28 Gbit/s. */
    GBPS_28(Verbs.IBV_RATE_28_GBPS()),
    /** 30 Gbit/s. */
    GBPS_30(Verbs.IBV_RATE_30_GBPS()),
    /** 40 Gbit/s. */
    GBPS_40(Verbs.IBV_RATE_40_GBPS()),
    /** 50 Gbit/s. */
    GBPS_50(Verbs.IBV_RATE_50_GBPS()),
    /** 56 Gbit/s. */
    GBPS_56(Verbs.IBV_RATE_56_GBPS()),
    /** 60 Gbit/s. */
    GBPS_60(Verbs.IBV_RATE_60_GBPS()),
    /** 80 Gbit/s. */
    GBPS_80(Verbs.IBV_RATE_80_GBPS()),
    /** 100 Gbit/s. */
    GBPS_100(Verbs.IBV_RATE_100_GBPS()),
    /** 112 Gbit/s. */
    GBPS_112(Verbs.IBV_RATE_112_GBPS()),
    /** 120 Gbit/s. */
    GBPS_120(Verbs.IBV_RATE_120_GBPS()),
    /** 168 Gbit/s. */
    GBPS_168(Verbs.IBV_RATE_168_GBPS()),
    /** 200 Gbit/s. */
    GBPS_200(Verbs.IBV_RATE_200_GBPS()),
    /** 300 Gbit/s. */
    GBPS_300(Verbs.IBV_RATE_300_GBPS()),
    /** 400 Gbit/s. */
    GBPS_400(Verbs.IBV_RATE_400_GBPS()),
    /** 600 Gbit/s. */
    GBPS_600(Verbs.IBV_RATE_600_GBPS()),
    /** 800 Gbit/s. */
    GBPS_800(Verbs.IBV_RATE_800_GBPS()),
    /** 1200 Gbit/s. */
    GBPS_1200(Verbs.IBV_RATE_1200_GBPS());

    private final int code;

    Rate(int code) {
        this.code = code;
    }

    /** Its number in C. */
    public int code() {
        return code;
    }

    /** The rate with this number in C, {@link #MAX} when there is none. */
    public static Rate of(int code) {
        for (Rate rate : values()) {
            if (rate.code == code) {
                return rate;
            }
        }
        return MAX;
    }

    /** How many times 2.5 Gbit/s it is, {@code ibv_rate_to_mult(3)}; -1 for {@link #MAX}. */
    public int multiple() {
        return Verbs.ibv_rate_to_mult(code);
    }

    /**
     * The rate that is so many times 2.5 Gbit/s, {@code mult_to_ibv_rate}; {@link #MAX} when the
     * library has none, as for most rates since 14 Gbit/s.
     */
    public static Rate ofMultiple(int multiple) {
        return of(Verbs.mult_to_ibv_rate(multiple));
    }

    /** Megabits a second, {@code ibv_rate_to_mbps(3)}; -1 for {@link #MAX}. */
    public int megabits() {
        return Verbs.ibv_rate_to_mbps(code);
    }

    /** The rate of so many megabits a second, {@code mbps_to_ibv_rate}; else {@link #MAX}. */
    public static Rate ofMegabits(int megabits) {
        return of(Verbs.mbps_to_ibv_rate(megabits));
    }
}
