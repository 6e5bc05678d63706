package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.OptionalSymbols;
import org.verbs4j.bindings.Posix;
import org.verbs4j.internal.ProviderPolicy;

import java.util.OptionalInt;

/** Tells a verb that is missing from one that failed, and who lacks it. */
final class UnsupportedVerbs {
    /** The provider's name that libibverbs itself would have. */
    private static final String LIBRARY = "ibverbs";

    private UnsupportedVerbs() {}

    /** Throws when the installed library is older than an exported function. */
    static void requireExported(String verb) {
        OptionalInt since = OptionalSymbols.sinceVersion(verb);
        if (since.isPresent() && NativeLibraries.find(verb).isEmpty()) {
            throw new UnsupportedVerbException(
                    verb,
                    Posix.EOPNOTSUPP(),
                    "the installed libibverbs does not have it: it came with rdma-core "
                            + since.getAsInt());
        }
    }

    /**
     * The failure of an operation of {@code verbs_context}.
     *
     * @param operation its offset, such as {@code verbs_context.alloc_dm$offset()}
     * @param detail what it was to do
     */
    static VerbsException failure(
            String verb, int errno, DeviceContext context, long operation, String detail) {
        if (!isMissing(errno)) {
            return failed(verb, errno, context, detail);
        }
        String who =
                isProvided(context, operation)
                        ? "the provider "
                                + context.provider()
                                + " of "
                                + context.device().name()
                                + " has it, but not with these options, or the kernel's driver"
                                + " lacks it"
                        : lacking(context);
        return new UnsupportedVerbException(verb, errno, detail + ": " + who);
    }

    /** The failure of an exported function, whose operation the provider may lack. */
    static VerbsException failure(String verb, int errno, DeviceContext context, String detail) {
        if (!isMissing(errno)) {
            return failed(verb, errno, context, detail);
        }
        return new UnsupportedVerbException(
                verb, errno, detail + ": " + lacking(context) + ", or the kernel's driver does");
    }

    /** What a provider does not have, libibverbs itself stands in for. */
    private static boolean isProvided(DeviceContext context, long operation) {
        long function = ContextVerbs.operation(context.address(), operation);
        return function != 0 && !ProviderPolicy.providerAt(function).equals(LIBRARY);
    }

    private static VerbsException failed(
            String verb, int errno, DeviceContext context, String detail) {
        return new VerbsException(
                verb,
                errno,
                errno != 0
                        ? detail
                        : detail
                                + ": the provider "
                                + context.provider()
                                + " gives no reason, as some do for an option that they do not"
                                + " know");
    }

    private static String lacking(DeviceContext context) {
        return "the provider "
                + context.provider()
                + " of "
                + context.device().name()
                + " lacks it";
    }

    /** Whether a verb failed because somebody lacks it. */
    static boolean isMissing(int errno) {
        return errno == Posix.EOPNOTSUPP() || errno == Posix.ENOSYS();
    }
}
