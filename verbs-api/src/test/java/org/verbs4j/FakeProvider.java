package org.verbs4j;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.ibv_port_attr;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * An extended context, {@code struct verbs_context}, whose provider is Java: an operation exists
 * when a test has provided it, notes its calls, and does what the test says. For the verbs that
 * soft-RoCE does not have.
 */
final class FakeProvider {
    private static final int ANY_FD = 7;

    /** Bytes: rdma-core looks behind {@code struct ibv_device} for what it keeps there. */
    private static final long PRIVATE_DEVICE = 4096;

    /** Bytes: more than any object has. */
    private static final long OBJECT = 1024;

    private static final MethodHandle NOTE_AND_RUN;

    private static final MethodHandle ERRNO_LOCATION =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("__errno_location"),
                            FunctionDescriptor.of(ValueLayout.ADDRESS));

    static {
        try {
            NOTE_AND_RUN =
                    MethodHandles.lookup()
                            .findVirtual(
                                    FakeProvider.class,
                                    "noteAndRun",
                                    MethodType.methodType(
                                            long.class,
                                            String.class,
                                            Operation.class,
                                            long[].class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the method is below", e);
        }
    }

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment verbs = arena.allocate(verbs_context.layout());

    /** {@code struct ibv_context *}, with the operations in front of it. */
    final MemorySegment handle = verbs_context.context(verbs);

    /** What the library has called, in order. */
    final List<Call> calls = new ArrayList<>();

    /** What an operation does: an int result goes into the low half. */
    interface Operation {
        /**
         * Does the work.
         *
         * @param arguments as C passes them: pointers whole, integers in the low half
         */
        long run(Arguments arguments);
    }

    /** Arguments of a call; what they point to is alive only during it. */
    record Arguments(List<Long> values) {
        long pointer(int index) {
            return values.get(index);
        }

        int integer(int index) {
            return values.get(index).intValue();
        }

        /** What an argument points to. */
        MemorySegment struct(int index, long size) {
            return MemorySegment.ofAddress(pointer(index)).reinterpret(size);
        }
    }

    /** A call that was made. */
    record Call(String operation, Arguments arguments) {}

    FakeProvider() {
        verbs_context.sz(verbs, verbs_context.sizeof());
        ibv_context.abi_compat(handle, Verbs.__VERBS_ABI_IS_EXTENDED());
        ibv_context.cmd_fd(handle, ANY_FD);
        ibv_context.async_fd(handle, ANY_FD);
        ibv_context.num_comp_vectors(handle, 1);
        ibv_context.device(handle, arena.allocate(PRIVATE_DEVICE));
    }

    /**
     * Provides an operation of {@code verbs_context}.
     *
     * @param offset such as {@code verbs_context.alloc_dm$offset()}
     * @param arity how many arguments it has
     */
    void provide(String name, long offset, int arity, Operation operation) {
        verbs.set(Verbs.C_POINTER, offset, function(name, arity, operation));
    }

    /**
     * Provides an operation of {@code ibv_context_ops}.
     *
     * @param offset such as {@code ibv_context_ops.alloc_mw$offset()}
     */
    void provideClassic(String name, long offset, int arity, Operation operation) {
        MemorySegment ops = ibv_context.ops(handle);
        assert offset < ibv_context_ops.sizeof();
        ops.set(Verbs.C_POINTER, offset, function(name, arity, operation));
    }

    /**
     * Provides ports that are active, with an MTU of 4096.
     *
     * @param more sets other fields of {@code ibv_port_attr}
     */
    void provideActivePorts(Consumer<MemorySegment> more) {
        provide(
                "query_port",
                verbs_context.query_port$offset(),
                4,
                arguments -> {
                    MemorySegment attr = arguments.struct(2, ibv_port_attr.sizeof());
                    ibv_port_attr.state(attr, Verbs.IBV_PORT_ACTIVE());
                    ibv_port_attr.active_mtu(attr, Verbs.IBV_MTU_4096());
                    more.accept(attr);
                    return 0;
                });
    }

    /** A C function of longs that runs an operation, for the tables that objects carry. */
    MemorySegment function(String name, int arity, Operation operation) {
        MemoryLayout[] longs = new MemoryLayout[arity];
        Arrays.fill(longs, ValueLayout.JAVA_LONG);
        MethodHandle target =
                NOTE_AND_RUN
                        .bindTo(this)
                        .bindTo(name)
                        .bindTo(operation)
                        .asCollector(long[].class, arity)
                        .asType(
                                MethodType.methodType(
                                        long.class, Collections.nCopies(arity, long.class)));
        return Linker.nativeLinker()
                .upcallStub(target, FunctionDescriptor.of(ValueLayout.JAVA_LONG, longs), arena);
    }

    /** Zeroed memory that lives as long as the provider. */
    MemorySegment allocate(MemoryLayout layout) {
        return arena.allocate(layout);
    }

    /**
     * Any object of C whose first field is its context, with room for what rdma-core keeps behind
     * it.
     */
    MemorySegment newObject() {
        MemorySegment object = arena.allocate(OBJECT, Long.BYTES);
        object.set(Verbs.C_POINTER, 0, handle);
        return object;
    }

    /** What an operation that gives a pointer does to fail. */
    static long refusal(int errno) {
        try {
            MemorySegment place = (MemorySegment) ERRNO_LOCATION.invokeExact();
            place.reinterpret(Integer.BYTES).set(ValueLayout.JAVA_INT, 0, errno);
            return 0;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** The calls of one operation, in order. */
    List<Call> callsOf(String operation) {
        return calls.stream().filter(call -> call.operation().equals(operation)).toList();
    }

    /** A context over this provider whose hot calls may come back to Java. */
    DeviceContext open(Device device, DeviceAttributes attributes) {
        // A critical call must not come back to Java, as this provider does.
        System.setProperty("org.verbs4j.critical", "never");
        try {
            return DeviceOpening.describe(device, handle, attributes, false);
        } finally {
            System.clearProperty("org.verbs4j.critical");
        }
    }

    /** A protection domain, as {@code ibv_alloc_pd} would have made it. */
    ProtectionDomain newDomain(DeviceContext context) {
        MemorySegment pd = arena.allocate(ibv_pd.layout());
        ibv_pd.context(pd, handle);
        return new ProtectionDomain(context, pd);
    }

    /** Called by the stubs. A throw from here would end the process. */
    @SuppressWarnings("UnusedMethod") // by NOTE_AND_RUN
    private long noteAndRun(String name, Operation operation, long[] values) {
        Arguments arguments = new Arguments(Arrays.stream(values).boxed().toList());
        calls.add(new Call(name, arguments));
        return operation.run(arguments);
    }
}
