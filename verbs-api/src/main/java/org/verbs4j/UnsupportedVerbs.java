package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.OptionalSymbols;
import org.verbs4j.bindings.Posix;

import java.util.OptionalInt;

/** Tells a verb that is missing from one that failed, and who lacks it. */
final class UnsupportedVerbs {
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
            return new VerbsException(verb, errno, detail);
        }
        boolean provided = ContextVerbs.verbs_get_ctx_op(context.address(), operation) != 0;
        String who =
                provided
                        ? "the kernel or its driver of " + context.device().name() + " lacks it"
                        : lacking(context);
        return new UnsupportedVerbException(verb, errno, detail + ": " + who);
    }

    /** The failure of an exported function, whose operation the provider may lack. */
    static VerbsException failure(String verb, int errno, DeviceContext context, String detail) {
        if (!isMissing(errno)) {
            return new VerbsException(verb, errno, detail);
        }
        return new UnsupportedVerbException(
                verb, errno, detail + ": " + lacking(context) + ", or the kernel's driver does");
    }

    private static String lacking(DeviceContext context) {
        return "the provider "
                + context.provider()
                + " of "
                + context.device().name()
                + " lacks it";
    }

    private static boolean isMissing(int errno) {
        return errno == Posix.EOPNOTSUPP() || errno == Posix.ENOSYS();
    }
}
