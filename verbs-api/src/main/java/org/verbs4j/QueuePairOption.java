package org.verbs4j;

import org.verbs4j.bindings.Verbs;

import java.util.Set;

/** What few devices can do for a queue pair: {@code enum ibv_qp_create_flags}. */
public enum QueuePairOption {
    /** Its own multicast packets do not come back to this device. */
    BLOCK_SELF_MULTICAST_LOOPBACK(Verbs.IBV_QP_CREATE_BLOCK_SELF_MCAST_LB()),
    /** Raw packets are received with their frame check sequence. */
    SCATTER_FRAME_CHECK_SEQUENCE(Verbs.IBV_QP_CREATE_SCATTER_FCS()),
    /** The VLAN tag is taken out of raw packets that are received. */
    STRIP_VLAN(Verbs.IBV_QP_CREATE_CVLAN_STRIPPING()),
    /** Writes over PCI are padded to whole cache lines. */
    PAD_PCI_WRITES(Verbs.IBV_QP_CREATE_PCI_WRITE_END_PADDING());

    private final int code;

    QueuePairOption(int code) {
        this.code = code;
    }

    /** Its bit in C. */
    public int code() {
        return code;
    }

    static int mask(Set<QueuePairOption> options) {
        return options.stream().mapToInt(QueuePairOption::code).reduce(0, (a, b) -> a | b);
    }
}
