package org.verbs4j;

import org.verbs4j.bindings.Verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a device can: the bits of {@code enum ibv_device_cap_flags} and of {@code
 * device_cap_flags_ex}. A device may have bits that are newer than this library: {@link
 * DeviceAttributes#capabilityBits()} has all of them.
 */
public enum DeviceCapability {
    /** The number of outstanding requests of a queue pair can be changed. */
    RESIZE_MAX_REQUESTS(Integer.toUnsignedLong(Verbs.IBV_DEVICE_RESIZE_MAX_WR())),
    /** Counts bad partition keys. */
    BAD_PARTITION_KEY_COUNTER(Integer.toUnsignedLong(Verbs.IBV_DEVICE_BAD_PKEY_CNTR())),
    /** Counts violations of queue keys. */
    BAD_QUEUE_KEY_COUNTER(Integer.toUnsignedLong(Verbs.IBV_DEVICE_BAD_QKEY_CNTR())),
    /** Multicast of raw packets. */
    RAW_MULTICAST(Integer.toUnsignedLong(Verbs.IBV_DEVICE_RAW_MULTI())),
    /** Automatic path migration. */
    AUTOMATIC_PATH_MIGRATION(Integer.toUnsignedLong(Verbs.IBV_DEVICE_AUTO_PATH_MIG())),
    /** The port of a queue pair can be changed while it is idle. */
    CHANGE_PHYSICAL_PORT(Integer.toUnsignedLong(Verbs.IBV_DEVICE_CHANGE_PHY_PORT())),
    /** The port of an address handle is enforced. */
    UD_PORT_ENFORCEMENT(Integer.toUnsignedLong(Verbs.IBV_DEVICE_UD_AV_PORT_ENFORCE())),
    /** The current state can be given when a queue pair is modified. */
    CURRENT_STATE_MODIFIER(Integer.toUnsignedLong(Verbs.IBV_DEVICE_CURR_QP_STATE_MOD())),
    /** A port can be shut down. */
    SHUTDOWN_PORT(Integer.toUnsignedLong(Verbs.IBV_DEVICE_SHUTDOWN_PORT())),
    /** Can set InitType and InitTypeReply. */
    INIT_TYPE(Integer.toUnsignedLong(Verbs.IBV_DEVICE_INIT_TYPE())),
    /** Tells by an event that a port became active. */
    PORT_ACTIVE_EVENT(Integer.toUnsignedLong(Verbs.IBV_DEVICE_PORT_ACTIVE_EVENT())),
    /** Has a system image GUID. */
    SYSTEM_IMAGE_GUID(Integer.toUnsignedLong(Verbs.IBV_DEVICE_SYS_IMAGE_GUID())),
    /** A reliable receiver that is not ready says so. */
    RC_RNR_NAK(Integer.toUnsignedLong(Verbs.IBV_DEVICE_RC_RNR_NAK_GEN())),
    /** Shared receive queues can be resized. */
    SRQ_RESIZE(Integer.toUnsignedLong(Verbs.IBV_DEVICE_SRQ_RESIZE())),
    /** A completion queue can notify after several completions. */
    NOTIFY_AFTER_N(Integer.toUnsignedLong(Verbs.IBV_DEVICE_N_NOTIFY_CQ())),
    /** Memory windows. */
    MEMORY_WINDOW(Integer.toUnsignedLong(Verbs.IBV_DEVICE_MEM_WINDOW())),
    /** Computes and checks IP checksums of datagrams. */
    UD_IP_CHECKSUM(Integer.toUnsignedLong(Verbs.IBV_DEVICE_UD_IP_CSUM())),
    /** Extended reliable connections. */
    XRC(Integer.toUnsignedLong(Verbs.IBV_DEVICE_XRC())),
    /** Memory management extensions: sends that invalidate, local invalidation. */
    MEMORY_MANAGEMENT_EXTENSIONS(Integer.toUnsignedLong(Verbs.IBV_DEVICE_MEM_MGT_EXTENSIONS())),
    /** Memory windows of type 2A. */
    MEMORY_WINDOW_TYPE_2A(Integer.toUnsignedLong(Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2A())),
    /** Memory windows of type 2B. */
    MEMORY_WINDOW_TYPE_2B(Integer.toUnsignedLong(Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2B())),
    /** Computes and checks IP checksums of reliable connections. */
    RC_IP_CHECKSUM(Integer.toUnsignedLong(Verbs.IBV_DEVICE_RC_IP_CSUM())),
    /** Computes and checks IP checksums of raw packets. */
    RAW_IP_CHECKSUM(Integer.toUnsignedLong(Verbs.IBV_DEVICE_RAW_IP_CSUM())),
    /** Flow steering. */
    MANAGED_FLOW_STEERING(Integer.toUnsignedLong(Verbs.IBV_DEVICE_MANAGED_FLOW_STEERING())),
    /** Raw packets can be received with their frame check sequence. */
    RAW_SCATTER_FCS(Verbs.IBV_DEVICE_RAW_SCATTER_FCS()),
    /** Can pad the end of its writes to a full cache line. */
    PCI_WRITE_END_PADDING(Verbs.IBV_DEVICE_PCI_WRITE_END_PADDING());

    private final long bit;

    DeviceCapability(long bit) {
        this.bit = bit;
    }

    /** Its bit in C. */
    public long bit() {
        return bit;
    }

    /** The capabilities in a mask of bits; bits without a name are left out. */
    public static Set<DeviceCapability> of(long bits) {
        Set<DeviceCapability> found = EnumSet.noneOf(DeviceCapability.class);
        for (DeviceCapability capability : values()) {
            if ((bits & capability.bit) != 0) {
                found.add(capability);
            }
        }
        return Collections.unmodifiableSet(found);
    }
}
