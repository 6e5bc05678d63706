package org.verbs4j.examples;

import org.verbs4j.DeviceAttributes;
import org.verbs4j.DeviceContext;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.bindings.Verbs;

import picocli.CommandLine.Option;

/** What {@code ibv_rc_pingpong} alone takes, and what it says where the device lacks it. */
final class RarePingPongOptions {
    @Option(
            names = {"-o", "--odp"},
            description = "use on demand paging")
    private boolean onDemandPaging;

    @Option(
            names = {"-O", "--iodp"},
            description = "use implicit on demand paging")
    private boolean implicitOnDemandPaging;

    @Option(
            names = {"-P", "--prefetch"},
            description = "prefetch an ODP MR")
    private boolean prefetch;

    @Option(
            names = {"-t", "--ts"},
            description = "get CQE with timestamp")
    boolean timestamps;

    @Option(
            names = {"-j", "--dm"},
            description = "use device memory")
    private boolean deviceMemory;

    @Option(
            names = {"-N", "--new_send"},
            description = "use new post send WR API")
    boolean newSend;

    /** What cannot be anywhere. */
    void requirePossible() {
        if (pagesOnDemand() && deviceMemory) {
            throw ToolFailure.asInC("DM memory region can't be on demand");
        }
        if (!pagesOnDemand() && prefetch) {
            throw ToolFailure.asInC("prefetch is valid only with on-demand memory region");
        }
    }

    private boolean pagesOnDemand() {
        return onDemandPaging || implicitOnDemandPaging;
    }

    /** What this device cannot, in the order of the C tool. */
    void requireDevice(DeviceContext context, long size) {
        DeviceAttributes device = context.attributes();
        if (pagesOnDemand()) {
            int both = Verbs.IBV_ODP_SUPPORT_SEND() | Verbs.IBV_ODP_SUPPORT_RECV();
            requireOnDemandPaging(
                    device, device.onDemandPaging().rc(), both, "RC send and receive");
        }
        if (implicitOnDemandPaging && !device.onDemandPaging().isImplicitSupported()) {
            throw ToolFailure.asInC("The device doesn't support implicit ODP");
        }
        if (timestamps && device.clock().timestampMask() == 0) {
            throw ToolFailure.asInC("The device isn't completion timestamp capable");
        }
        if (deviceMemory && device.memory().maxDeviceMemory() == 0) {
            throw ToolFailure.asInC("Device doesn't support dm allocation");
        }
        if (deviceMemory && Long.compareUnsigned(device.memory().maxDeviceMemory(), size) < 0) {
            throw ToolFailure.asInC("Device memory is insufficient");
        }
    }

    /**
     * Refuses a device that cannot page on demand.
     *
     * @param has bits of the transport
     * @param needed bits of the game
     * @param text what they are
     */
    static void requireOnDemandPaging(DeviceAttributes device, int has, int needed, String text) {
        if (!device.onDemandPaging().isSupported() || (has & needed) != needed) {
            throw ToolFailure.asInC(
                    "The device isn't ODP capable or does not support " + text + " with ODP");
        }
    }

    PingPongBuffer newBuffer(PingPong tool, ProtectionDomain domain, long size) {
        if (deviceMemory) {
            return PingPongBuffer.onDevice(domain, size);
        }
        if (!pagesOnDemand()) {
            return PingPongBuffer.pinned(domain, size);
        }
        PingPongBuffer buffer =
                implicitOnDemandPaging
                        ? PingPongBuffer.ofAddressSpace(domain, size)
                        : PingPongBuffer.onDemand(domain, size);
        if (prefetch) {
            buffer.prefetch(tool);
        }
        return buffer;
    }
}
