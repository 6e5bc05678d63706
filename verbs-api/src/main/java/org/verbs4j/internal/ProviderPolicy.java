package org.verbs4j.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which calls of a provider may be critical: not let the virtual machine stop while C runs.
 *
 * <p>A critical call saves some 3 ns, but delays every safepoint of all threads until it returns,
 * so nothing that can enter the kernel may be one. Read in rdma-core v44, {@code providers/}:
 * {@code rxe.c} ends {@code rxe_post_send} in the system call of {@code post_send_db} and arms by
 * {@code ibv_cmd_req_notify_cq}; {@code siw.c} ends {@code siw_post_send} in {@code siw_db}; hfi1
 * and ipath may enter the kernel in all four; the others ring a mapped doorbell. A provider that is
 * not in the table is taken to enter the kernel when it posts sends or arms.
 *
 * @param provider the provider's name, such as {@code rxe}
 * @param poll whether polling and posting receives are critical
 * @param post whether posting sends and arming are critical
 */
public record ProviderPolicy(String provider, boolean poll, boolean post) {
    /**
     * System property that overrules the table: {@code auto} (the table), {@code never}, {@code
     * poll} (polling and posting receives) or {@code always}. A queue shared by several threads
     * should have {@code never}: the holder of the driver's spin lock may be descheduled while a
     * critical call spins for it.
     */
    public static final String PROPERTY = "org.verbs4j.critical";

    private static final Set<String> USER_SPACE =
            Set.of(
                    "bnxt_re",
                    "cxgb4",
                    "efa",
                    "erdma",
                    "hns",
                    "irdma",
                    "mana",
                    "mlx4",
                    "mlx5",
                    "mthca",
                    "ocrdma",
                    "qedr",
                    "vmw_pvrdma");

    private static final Set<String> KERNEL_ALWAYS = Set.of("hfi1verbs", "ipathverbs");

    /**
     * {@code libmlx5.so.1.24.44.0}, {@code librxe-rdmav34.so}: the name and what the private ABI
     * appends.
     */
    private static final Pattern FILE_NAME = Pattern.compile("lib(.+?)(-rdmav\\d+)?\\.so.*");

    private static final Path MAPS = Path.of("/proc/self/maps");

    /**
     * The policy for the provider that a function pointer belongs to.
     *
     * @param function an address in the provider's code, such as {@code context->ops.post_send}
     */
    public static ProviderPolicy of(long function) {
        return of(providerAt(function), System.getProperty(PROPERTY, "auto"));
    }

    /** The policy for a provider, overruled by a value of {@link #PROPERTY}. */
    public static ProviderPolicy of(String provider, String override) {
        return switch (override.toLowerCase(Locale.ROOT)) {
            case "never" -> new ProviderPolicy(provider, false, false);
            case "poll" -> new ProviderPolicy(provider, true, false);
            case "always" -> new ProviderPolicy(provider, true, true);
            case "auto" ->
                    new ProviderPolicy(
                            provider,
                            !KERNEL_ALWAYS.contains(provider),
                            USER_SPACE.contains(provider));
            default ->
                    throw new IllegalArgumentException(
                            "-D"
                                    + PROPERTY
                                    + "="
                                    + override
                                    + ": must be auto, never, poll or always");
        };
    }

    /**
     * The provider whose code is at an address; {@code ibverbs} when it is that of the C library
     * itself, which stands in for what a provider does not have, and {@code unknown} when it is
     * nobody's. A device's name says nothing about its driver, so this asks which file the code is
     * mapped from.
     */
    public static String providerAt(long function) {
        try (Stream<String> lines = Files.lines(MAPS)) {
            return providerAt(function, lines.toList());
        } catch (IOException e) {
            return "unknown";
        }
    }

    /**
     * The provider that has mapped this address, by lines of {@code /proc/self/maps}; {@code
     * unknown} if none has.
     */
    static String providerAt(long function, List<String> maps) {
        for (String line : maps) {
            int dash = line.indexOf('-');
            int blank = line.indexOf(' ');
            int slash = line.lastIndexOf('/');
            if (slash > 0
                    && Long.compareUnsigned(function, Long.parseUnsignedLong(line, 0, dash, 16))
                            >= 0
                    && Long.compareUnsigned(
                                    function, Long.parseUnsignedLong(line, dash + 1, blank, 16))
                            < 0) {
                Matcher name = FILE_NAME.matcher(line.substring(slash + 1));
                return name.matches() ? name.group(1) : "unknown";
            }
        }
        return "unknown";
    }
}
