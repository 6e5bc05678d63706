package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.OptionalSymbols;
import org.verbs4j.bindings.Posix;
import org.verbs4j.internal.ProviderPolicy;

/**
 * What a control verb that not every library, provider or kernel has is told as when it fails: who
 * lacks it, or that it gives no reason.
 */
final class ControlFailure {
    /** The provider name of code that libibverbs itself brings for what a provider lacks. */
    private static final String LIBRARY = "ibverbs";

    private ControlFailure() {}

    /**
     * The failure of an operation of {@code verbs_context}.
     *
     * @param operation its offset, such as {@code verbs_context.create_wq$offset()}
     * @param errno 0 when it gave none
     * @param what what it was to do
     */
    static VerbsException of(
            DeviceContext context, String verb, long operation, int errno, String what) {
        if (isMissing(errno)) {
            return new UnsupportedVerbException(
                    verb, errno, what + ": " + whoLacks(context, operation));
        }
        return of(context, verb, errno, what);
    }

    /** The failure of a verb that every library and every provider has in some way. */
    static VerbsException of(DeviceContext context, String verb, int errno, String what) {
        if (isMissing(errno)) {
            return new UnsupportedVerbException(
                    verb,
                    errno,
                    what
                            + ": the provider "
                            + context.provider()
                            + " or its kernel driver does not have it");
        }
        if (errno == 0) {
            return new VerbsException(
                    verb,
                    0,
                    what
                            + ": the provider "
                            + context.provider()
                            + " gives no reason, as some do for an option that they do not know");
        }
        return new VerbsException(verb, errno, what);
    }

    /**
     * Makes sure that the installed libibverbs has an exported function.
     *
     * @throws UnsupportedVerbException when it is older, with the release that has it
     */
    static void requireExported(String function) {
        if (NativeLibraries.find(function).isEmpty()) {
            throw new UnsupportedVerbException(
                    function,
                    Posix.EOPNOTSUPP(),
                    "the installed libibverbs does not have it: rdma-core "
                            + OptionalSymbols.sinceVersion(function)
                                    .orElse(OptionalSymbols.OLDEST_SUPPORTED)
                            + " does");
        }
    }

    private static boolean isMissing(int errno) {
        return errno == Posix.EOPNOTSUPP() || errno == Posix.ENOSYS();
    }

    private static String whoLacks(DeviceContext context, long operation) {
        long function = ContextVerbs.operation(context.address(), operation);
        if (function == 0 || ProviderPolicy.providerAt(function).equals(LIBRARY)) {
            return "the provider " + context.provider() + " does not have it";
        }
        return "the provider "
                + context.provider()
                + " has it, but not with these options or not with this kernel";
    }
}
