package org.verbs4j.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Where the C functions come from and how their {@code errno} is kept.
 *
 * <p>{@code libibverbs.so.1} and {@code librdmacm.so.1} are each opened at the first look-up of one
 * of their functions, never before: constants and layouts work on a machine that has neither. The
 * system properties {@value #LIBIBVERBS_PROPERTY} and {@value #LIBRDMACM_PROPERTY} name another
 * file. A library stays open until the JVM ends.
 *
 * <p>Safe for use by any number of threads; {@code errno} belongs to the thread that made the call.
 */
public final class NativeLibraries {
    /** System property that names the libibverbs to load: a path or a SONAME. */
    public static final String LIBIBVERBS_PROPERTY = "org.verbs4j.libibverbs";

    /** System property that names the librdmacm to load: a path or a SONAME. */
    public static final String LIBRDMACM_PROPERTY = "org.verbs4j.librdmacm";

    private static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final MemoryLayout CAPTURE_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            CAPTURE_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> CAPTURED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(CAPTURE_LAYOUT));
    private static final MethodHandle CAPTURED_STATE = capturedStateHandle();

    private NativeLibraries() {}

    /**
     * The outcome of opening one library: its symbols, or the sentence that says why there are
     * none.
     */
    private record Library(String name, Optional<SymbolLookup> symbols, String problem) {
        static Library open(String soname, String property, String packages) {
            String named = System.getProperty(property, "");
            String name = named.isEmpty() ? soname : named;
            try {
                SymbolLookup symbols = SymbolLookup.libraryLookup(name, Arena.global());
                return new Library(name, Optional.of(symbols), "");
            } catch (IllegalArgumentException e) {
                // The loader's own reason, which libraryLookup withholds, is in dlerror.
                String reason = "cannot load " + name + " (" + DynamicLoader.reason(name) + "): ";
                String remedy =
                        named.isEmpty()
                                ? "install " + packages + ", or name the file with -D" + property
                                : "correct -D" + property + ", or omit it and install " + packages;
                return new Library(name, Optional.empty(), reason + remedy);
            }
        }

        Library orThrow() {
            if (symbols.isEmpty()) {
                throw new UnsatisfiedLinkError(problem);
            }
            return this;
        }

        Optional<MemorySegment> find(String function) {
            return orThrow().symbols.flatMap(lookup -> lookup.find(function));
        }

        /**
         * A missing symbol told as an error, for the initialisers of generated classes: an
         * exception would reach the caller wrapped and without its message.
         */
        MemorySegment findOrExplain(String function) {
            return find(function)
                    .orElseThrow(
                            () ->
                                    new UnsatisfiedLinkError(
                                            name
                                                    + " has no "
                                                    + function
                                                    + ": the installed rdma-core is older than"
                                                    + " this function"));
        }
    }

    private static final class IbVerbs {
        static final Library LIBRARY =
                Library.open(
                        "libibverbs.so.1",
                        LIBIBVERBS_PROPERTY,
                        "the packages libibverbs1 and ibverbs-providers (Debian, Ubuntu) or"
                                + " libibverbs (Fedora, RHEL)");
    }

    /**
     * librdmacm brings libibverbs along by its SONAME. Ours is opened first, so that the process
     * has one libibverbs even where a property names it: objects of one are not objects of another.
     */
    private static final class RdmaCm {
        static final Library LIBRARY =
                IbVerbs.LIBRARY.symbols().isEmpty()
                        ? IbVerbs.LIBRARY
                        : Library.open(
                                "librdmacm.so.1",
                                LIBRDMACM_PROPERTY,
                                "the package librdmacm1 (Debian, Ubuntu) or librdmacm (Fedora,"
                                        + " RHEL)");
    }

    private static Library libraryOf(String function) {
        return function.startsWith("rdma_") ? RdmaCm.LIBRARY : IbVerbs.LIBRARY;
    }

    /**
     * Makes sure that {@code libibverbs} is there. To be called before the first function of it: a
     * generated method whose library is absent gives the reason at its first call only, later calls
     * of the same method end in {@link NoClassDefFoundError}.
     *
     * @throws UnsatisfiedLinkError one sentence with the package to install and the loader's
     *     reason, at every call
     */
    public static void requireVerbs() {
        IbVerbs.LIBRARY.orThrow();
    }

    /**
     * Makes sure that {@code librdmacm} is there, and {@code libibverbs} below it.
     *
     * @throws UnsatisfiedLinkError one sentence with the package to install and the loader's
     *     reason, at every call
     * @see #requireVerbs
     */
    public static void requireRdmaCm() {
        RdmaCm.LIBRARY.orThrow();
    }

    /**
     * Why {@code libibverbs} cannot be used.
     *
     * @return one sentence with the package to install and the loader's reason, or empty when the
     *     library is loaded
     */
    public static Optional<String> verbsProblem() {
        return problem(IbVerbs.LIBRARY);
    }

    /**
     * Why {@code librdmacm} cannot be used.
     *
     * @return one sentence with the package to install and the loader's reason, or empty when the
     *     library is loaded
     */
    public static Optional<String> rdmaCmProblem() {
        return problem(RdmaCm.LIBRARY);
    }

    private static Optional<String> problem(Library library) {
        return library.symbols().isPresent() ? Optional.empty() : Optional.of(library.problem());
    }

    /**
     * Looks up an exported function. Functions newer than rdma-core 28 must be asked for here
     * before their generated method is touched: a class initialiser that misses its symbol stays
     * broken for the life of the JVM.
     *
     * @param function the C name, such as {@code ibv_import_device}
     * @return its address, or empty when the installed library is older than the function
     * @throws UnsatisfiedLinkError when the library itself is absent, saying which package to
     *     install
     */
    public static Optional<MemorySegment> find(String function) {
        return libraryOf(function).find(function);
    }

    /**
     * The look-up behind the generated {@code Verbs} class: librdmacm's functions start with {@code
     * rdma_}.
     */
    static SymbolLookup rdmaLookup() {
        return function -> Optional.of(libraryOf(function).findOrExplain(function));
    }

    /** The look-up behind the generated {@code Posix} class. */
    static SymbolLookup libcLookup() {
        return LINKER.defaultLookup();
    }

    /** A handle for an exported function that leaves its {@code errno} for {@link #errno()}. */
    static MethodHandle downcall(MemorySegment address, FunctionDescriptor descriptor) {
        return ControlCalls.handle(descriptor)
                .map(handle -> handle.bindTo(address))
                .orElseGet(
                        () ->
                                MethodHandles.collectArguments(
                                        LINKER.downcallHandle(address, descriptor, CAPTURE),
                                        0,
                                        CAPTURED_STATE));
    }

    /**
     * A handle for a function pointer, given as first argument, that leaves {@code errno} for
     * {@link #errno()}.
     */
    static MethodHandle downcall(FunctionDescriptor descriptor) {
        return ControlCalls.handle(descriptor)
                .orElseGet(
                        () ->
                                MethodHandles.collectArguments(
                                        LINKER.downcallHandle(descriptor, CAPTURE),
                                        1,
                                        CAPTURED_STATE));
    }

    /**
     * The {@code errno} that the last capturing call of this thread left: an exported function, a
     * {@code verbs_context} operation, or {@link #setErrno}. Meaningful only where the function's
     * convention says that it failed.
     */
    public static int errno() {
        return (int) ERRNO.get(CAPTURED.get(), 0L);
    }

    /**
     * Sets what {@link #errno()} answers on this thread, as the C inlines set errno when an
     * operation is missing.
     */
    static void setErrno(int errno) {
        ERRNO.set(CAPTURED.get(), 0L, errno);
    }

    /** Where this thread's {@code errno} is kept. */
    static MemorySegment capturedState() {
        return CAPTURED.get();
    }

    private static MethodHandle capturedStateHandle() {
        try {
            return MethodHandles.lookup()
                    .findVirtual(ThreadLocal.class, "get", MethodType.methodType(Object.class))
                    .bindTo(CAPTURED)
                    .asType(MethodType.methodType(MemorySegment.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("java.lang.ThreadLocal has no get()", e);
        }
    }

    /** {@code dlopen} and {@code dlerror} themselves, only to learn why a library did not load. */
    private static final class DynamicLoader {
        private static final int RTLD_LAZY = 1;

        private DynamicLoader() {}

        static String reason(String library) {
            SymbolLookup libc = LINKER.defaultLookup();
            MethodHandle open =
                    LINKER.downcallHandle(
                            libc.findOrThrow("dlopen"),
                            FunctionDescriptor.of(
                                    ValueLayout.ADDRESS,
                                    ValueLayout.ADDRESS,
                                    ValueLayout.JAVA_INT));
            MethodHandle error =
                    LINKER.downcallHandle(
                            libc.findOrThrow("dlerror"),
                            FunctionDescriptor.of(ValueLayout.ADDRESS));
            try (Arena arena = Arena.ofConfined()) {
                // The generated code never comes here, so these two handles are not worth a place
                // of their own.
                MemorySegment opened =
                        (MemorySegment) open.invokeExact(arena.allocateFrom(library), RTLD_LAZY);
                MemorySegment text = (MemorySegment) error.invokeExact();
                boolean explained = opened.address() == 0 && text.address() != 0;
                return explained
                        ? text.reinterpret(Long.MAX_VALUE).getString(0)
                        : "the loader gives no reason";
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }
}
