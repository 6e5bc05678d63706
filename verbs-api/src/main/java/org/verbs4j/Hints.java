package org.verbs4j;

import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.rlimit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What usually helps, consulted only after something has failed. */
final class Hints {
    private static final Path KERNEL_DEVICES = Path.of("/sys/class/infiniband");

    private Hints() {}

    static String noSuchDevice(String name, List<Device> all) {
        String names =
                all.isEmpty()
                        ? "none"
                        : all.stream().map(Device::name).collect(Collectors.joining(", "));
        return "there is no RDMA device " + name + "; devices: " + names;
    }

    static String noDevice() {
        List<String> kernel = kernelDevices();
        if (kernel.isEmpty()) {
            return "there is no RDMA device: load the adapter's driver, or make a soft-RoCE device"
                    + " with `modprobe rdma_rxe` and `rdma link add rxe0 type rxe netdev"
                    + " INTERFACE`";
        }
        return "the kernel has "
                + String.join(", ", kernel)
                + ", but libibverbs finds no device: install the provider (package"
                + " ibverbs-providers, or libibverbs on Fedora), and in a container pass on"
                + " /dev/infiniband";
    }

    private static List<String> kernelDevices() {
        try (Stream<Path> entries = Files.list(KERNEL_DEVICES)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Events cannot be read. */
    static VerbsException unreadable(String verb, int errno, String what) {
        String hint = errno == Posix.EIO() ? ": has the device been removed?" : "";
        return new VerbsException(verb, errno, "reading " + what + hint);
    }

    /** Why {@code ibv_open_device} may have failed. */
    static String open(int errno, Device device, String file) {
        String what = "cannot open " + device.name() + ": ";
        // libibverbs looks elsewhere when it may not open the file, and then says ENOENT.
        Path path = Path.of(file);
        boolean forbidden =
                Files.exists(path) && !(Files.isReadable(path) && Files.isWritable(path));
        if (forbidden || errno == Posix.EACCES() || errno == Posix.EPERM()) {
            return what
                    + "no permission for "
                    + file
                    + " and /dev/infiniband/rdma_cm; run as a user who may read and write them"
                    + " (often a udev rule or the group rdma), in a container pass on"
                    + " /dev/infiniband";
        }
        if (errno == Posix.ENOENT() || errno == Posix.ENODEV() || errno == Posix.ENXIO()) {
            return what
                    + file
                    + " is not there: the device has gone, or the container lacks /dev/infiniband";
        }
        if (errno == Posix.EMFILE() || errno == Posix.ENFILE()) {
            return what
                    + "too many open files: close contexts that are not needed, or raise `ulimit"
                    + " -n`";
        }
        if (errno == Posix.ENOMEM()) {
            return what + memlock("its doorbell pages");
        }
        return what + "`ibv_devinfo -d " + device.name() + "` should fail in the same way";
    }

    /** Why {@code ibv_reg_mr} may have failed. */
    static String register(int errno, long length, Access... access) {
        String what = "cannot register " + length + " bytes for " + List.of(access) + ": ";
        if (errno == Posix.ENOMEM()) {
            return what + memlock(length + " bytes");
        }
        if (errno == Posix.EFAULT()) {
            return what
                    + "part of the memory is not mapped, or it is mapped read-only (some kernels"
                    + " refuse that even for reading)";
        }
        if (errno == Posix.EINVAL()) {
            List<Access> all = List.of(access);
            boolean remote =
                    all.contains(Access.REMOTE_WRITE) || all.contains(Access.REMOTE_ATOMIC);
            if (remote && !all.contains(Access.LOCAL_WRITE)) {
                return what + "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE as well";
            }
            return what
                    + "the device does not know one of the accesses, or the length exceeds its"
                    + " maximum";
        }
        if (UnsupportedVerbs.isMissing(errno)) {
            return what + "the device or its driver does not have one of the accesses";
        }
        return what + "the kernel refuses";
    }

    /** The limit of locked memory, what is used of it, and how to raise it. */
    static String memlock(String need) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(rlimit.layout());
            if (Posix.getrlimit(Posix.RLIMIT_MEMLOCK(), limit) != 0) {
                return "not enough memory for " + need;
            }
            long bytes = rlimit.rlim_cur(limit);
            if (bytes == Posix.RLIM_INFINITY()) {
                return "not enough memory for " + need + " (locked memory is not limited)";
            }
            return "locked memory is limited to "
                    + Long.toUnsignedString(bytes)
                    + " bytes (RLIMIT_MEMLOCK), "
                    + pinned()
                    + ", and this needs "
                    + need
                    + " more: raise it by `ulimit -l unlimited`, LimitMEMLOCK=infinity in a systemd"
                    + " unit, or `docker run --ulimit memlock=-1`";
        }
    }

    /** Pinned pages count against the limit together with locked ones. */
    private static String pinned() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String used =
                    lines.filter(line -> line.startsWith("VmPin:") || line.startsWith("VmLck:"))
                            .map(line -> line.replaceAll("\\s+", " "))
                            .collect(Collectors.joining(", "));
            return "in use are " + used;
        } catch (IOException e) {
            return "what is in use is unknown";
        }
    }

    /** What to do about a port that carries nothing. */
    static String portDown(String device, int port, PortAttributes.State state) {
        return "port "
                + port
                + " of "
                + device
                + " is "
                + state
                + ", not ACTIVE: bring its network interface up (`ip link set INTERFACE up`, see"
                + " `rdma link`), or on InfiniBand check the cable and the subnet manager";
    }

    /** The GIDs that a queue pair could use, for someone who has chosen another. */
    static String usableGids(List<GidEntry> table) {
        String usable =
                table.stream()
                        .filter(GidEntry::isRoutable)
                        .map(entry -> entry.index() + " (" + entry.gid() + ")")
                        .collect(Collectors.joining(", "));
        return usable.isEmpty()
                ? "none is usable: give the network interface an IP address"
                : "usable indexes: " + usable;
    }
}
