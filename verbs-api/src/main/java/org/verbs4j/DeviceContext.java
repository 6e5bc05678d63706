package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.DataPath;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context;
import org.verbs4j.internal.ProviderPolicy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * An open device, {@code struct ibv_context}: what everything else is made from.
 *
 * <p>Any thread may use it, several at a time. Close what was made from it first: {@link #close()}
 * of a context in use throws, names what is open, and leaves it open.
 */
public final class DeviceContext implements AutoCloseable {
    static {
        Internals.register();
    }

    private final Device device;
    private final MemorySegment handle;
    private final DeviceAttributes attributes;
    private final ProviderPolicy policy;
    private final List<Port> ports;
    private final Lifecycle life;
    private final AsyncEvents events;
    private final boolean shared;
    private final QueuePairTable queuePairs = new QueuePairTable();

    /**
     * A context whose attributes have been read.
     *
     * @param shared whether all ids of rdma_cm share it, so that nobody closes it
     */
    DeviceContext(
            Device device, MemorySegment handle, DeviceAttributes attributes, boolean shared) {
        this.device = device;
        this.shared = shared;
        this.handle = handle;
        this.attributes = attributes;
        this.policy = ProviderPolicy.of(DataPath.postSendFunction(handle.address()));
        this.life = new Lifecycle("context of " + device.name());
        this.events = new AsyncEvents(life.toString(), handle, ibv_context.async_fd(handle));
        this.ports =
                IntStream.rangeClosed(1, attributes.portCount())
                        .mapToObj(number -> new Port(this, number))
                        .toList();
    }

    /** The device that is open. */
    public Device device() {
        return device;
    }

    /** What the device can, as of opening: {@code ibv_query_device_ex(3)}. */
    public DeviceAttributes attributes() {
        return attributes;
    }

    /**
     * The kernel's number of the device, {@code ibv_get_device_index(3)}: as long as the machine is
     * up no other device of it gets this number.
     *
     * @return empty when the library is older than rdma-core 30, or the kernel does not tell
     */
    public OptionalInt deviceIndex() {
        if (NativeLibraries.find("ibv_get_device_index").isEmpty()) {
            return OptionalInt.empty();
        }
        int index = life.whileOpen(() -> Verbs.ibv_get_device_index(ibv_context.device(handle)));
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
    }

    /** The ports, the first of which has number 1. */
    public List<Port> ports() {
        return ports;
    }

    /**
     * A port.
     *
     * @param number 1 to {@link DeviceAttributes#portCount()}
     * @throws IllegalArgumentException when the device has no such port
     */
    public Port port(int number) {
        if (number < 1 || number > ports.size()) {
            throw new IllegalArgumentException(
                    device.name()
                            + " has no port "
                            + number
                            + ": its ports are 1 to "
                            + ports.size());
        }
        return ports.get(number - 1);
    }

    /**
     * The first port that carries traffic, {@code IBV_PORT_ACTIVE}.
     *
     * @throws VerbsException when none does, with the state of the first
     */
    public Port activePort() {
        for (Port port : ports) {
            if (port.attributes().isActive()) {
                return port;
            }
        }
        PortAttributes.State state = ports.getFirst().attributes().state();
        throw new VerbsException("ibv_query_port", 0, Hints.portDown(device.name(), 1, state));
    }

    /**
     * How many completion vectors there are to spread interrupts over, at least 1: {@code
     * num_comp_vectors}.
     */
    public int completionVectors() {
        return life.whileOpen(() -> Math.max(1, ibv_context.num_comp_vectors(handle)));
    }

    /** The name of the provider in the C library, such as {@code mlx5} or {@code rxe}. */
    public String provider() {
        return policy.provider();
    }

    /**
     * A protection domain, {@code ibv_alloc_pd(3)}.
     *
     * @throws VerbsException when the device has none left
     */
    public ProtectionDomain newProtectionDomain() {
        return Lifecycle.make(() -> ProtectionDomain.create(this), life);
    }

    /**
     * Memory on the device itself, {@code ibv_alloc_dm(3)}.
     *
     * @param length bytes, at least 1, at most {@link DeviceAttributes.Memory#maxDeviceMemory()}
     * @param logAlignment the alignment as a power of 2, 0 for none
     * @throws IllegalArgumentException when the length is not positive
     * @throws UnsupportedVerbException when the provider or the kernel lacks it
     * @throws VerbsException when the device has no more
     */
    public DeviceMemory newDeviceMemory(long length, int logAlignment) {
        return Lifecycle.make(() -> DeviceMemory.allocate(this, length, logAlignment), life);
    }

    /**
     * The file descriptor of the kernel's context, {@code cmd_fd}: another process that gets it, by
     * {@code SCM_RIGHTS} of {@code unix(7)} for instance, opens the same context by {@link
     * Devices#importContext}. It stays this context's: do not close it.
     */
    public int commandFileDescriptor() {
        return life.whileOpen(() -> ibv_context.cmd_fd(handle));
    }

    /**
     * A protection domain of another process on the same kernel context, {@code ibv_import_pd(3)}.
     * Closing it does not free the other's.
     *
     * @param kernelHandle what {@link ProtectionDomain#kernelHandle()} gave there
     * @throws UnsupportedVerbException when the library, the provider or the kernel lacks it
     * @throws VerbsException when there is no such domain
     */
    public ProtectionDomain importProtectionDomain(int kernelHandle) {
        return Lifecycle.make(() -> ProtectionDomain.imported(this, kernelHandle), life);
    }

    /**
     * Device memory of another process on the same kernel context, {@code ibv_import_dm(3)}.
     * Closing it does not free the other's.
     *
     * @param kernelHandle what {@link DeviceMemory#kernelHandle()} gave there
     * @param length its bytes, which the kernel does not tell
     * @throws UnsupportedVerbException when the library, the provider or the kernel lacks it
     * @throws VerbsException when there is no such memory
     */
    public DeviceMemory importDeviceMemory(int kernelHandle, long length) {
        return Lifecycle.make(() -> DeviceMemory.imported(this, kernelHandle, length), life);
    }

    /**
     * A channel to wait for completions on, {@code ibv_create_comp_channel(3)}.
     *
     * @throws VerbsException when it cannot be made
     */
    public CompletionChannel newCompletionChannel() {
        return Lifecycle.make(() -> CompletionChannel.create(this), life);
    }

    /**
     * A completion queue for polling, {@code ibv_create_cq(3)}.
     *
     * @param minCapacity how many completions it must hold, at least 1; the device may round up.
     *     One that overflows loses completions, so make it as large as all queues that complete
     *     into it together
     * @throws IllegalArgumentException when the device cannot make it so large
     * @throws VerbsException when it cannot be made
     */
    public CompletionQueue newCompletionQueue(int minCapacity) {
        return Lifecycle.make(() -> CompletionQueue.create(this, minCapacity, null, 0), life);
    }

    /**
     * A completion queue that can notify, {@code ibv_create_cq(3)}.
     *
     * @param minCapacity as in {@link #newCompletionQueue(int)}
     * @param channel where to wait
     * @param vector which completion vector raises the interrupt, 0 to {@link #completionVectors()}
     *     - 1
     * @throws IllegalArgumentException when the channel is of another context, there is no such
     *     vector, or the device cannot make the queue so large
     * @throws VerbsException when it cannot be made
     */
    public CompletionQueue newCompletionQueue(
            int minCapacity, CompletionChannel channel, int vector) {
        return Lifecycle.make(
                () -> CompletionQueue.create(this, minCapacity, channel, vector),
                life,
                channel.life());
    }

    /**
     * Begins a completion queue that tells more of each completion, such as time stamps, {@code
     * ibv_create_cq_ex(3)}.
     *
     * @param minCapacity as in {@link #newCompletionQueue(int)}
     * @throws IllegalArgumentException when the device cannot make it so large
     */
    public ExtendedCompletionQueue.Builder newExtendedCompletionQueue(int minCapacity) {
        life.requireOpen();
        return new ExtendedCompletionQueue.Builder(this, minCapacity);
    }

    /**
     * The clock that stamps completions, {@code ibv_query_device_ex(3)}.
     *
     * @throws UnsupportedVerbException when the device has none
     */
    public DeviceClock clock() {
        return life.whileOpen(() -> DeviceClock.of(this));
    }

    /**
     * A promise that what is made under it is used by one thread at a time, {@code
     * ibv_alloc_td(3)}.
     *
     * @throws UnsupportedVerbException when the device has no such thing
     */
    public ThreadDomain newThreadDomain() {
        return Lifecycle.make(() -> ThreadDomain.create(this), life);
    }

    /**
     * A table that spreads packets over work queues, {@code ibv_create_rwq_ind_table(3)}.
     *
     * @param queues a power of two of them; one may be there several times
     * @throws IllegalArgumentException when their number is no power of two
     * @throws UnsupportedVerbException when the device has no such thing
     * @throws VerbsException when the device refuses
     */
    public IndirectionTable newIndirectionTable(List<WorkQueue> queues) {
        return IndirectionTable.make(this, List.copyOf(queues));
    }

    /**
     * Counters for flows, {@code ibv_create_counters(3)}.
     *
     * @throws UnsupportedVerbException when the device has none
     * @throws VerbsException when the device refuses
     */
    public FlowCounters newFlowCounters() {
        return Lifecycle.make(() -> FlowCounters.create(this), life);
    }

    /**
     * An IPsec transformation for flows, {@code ibv_create_flow_action_esp}, see {@code
     * ibv_create_flow_action(3)}.
     *
     * @param attributes a {@code struct ibv_flow_action_esp_attr}; what it points to must be alive
     * @throws IllegalArgumentException when it is not as large as that
     * @throws UnsupportedVerbException when the device has no such thing
     * @throws VerbsException when the device refuses
     */
    public FlowAction newEspFlowAction(MemorySegment attributes) {
        return Lifecycle.make(() -> FlowAction.createEsp(this, attributes), life);
    }

    /**
     * Waits for something to happen to the device, its ports or what was made from it, {@code
     * ibv_get_async_event(3)}. Several threads may wait; each event goes to one of them.
     *
     * @param timeout the longest wait; zero only looks
     * @return what happened, acknowledged; null on time-out
     * @throws InterruptedException when the thread is interrupted
     * @throws IllegalStateException when the context is closed, before or meanwhile
     * @throws VerbsException when the events cannot be read: EIO when the device has been removed
     */
    public @Nullable AsyncEvent awaitAsyncEvent(Duration timeout) throws InterruptedException {
        return events.await(timeout);
    }

    /**
     * The descriptor of the asynchronous events, {@code async_fd}, for an event loop of one's own:
     * readable when {@link #awaitAsyncEvent} with zero time-out would find something. Do not close
     * it.
     *
     * @throws IllegalStateException when the context is closed
     */
    public int asyncFileDescriptor() {
        return life.whileOpen(() -> ibv_context.async_fd(handle));
    }

    /**
     * A domain of extended reliable connections for this process, {@code ibv_open_xrcd(3)}.
     *
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     * @throws VerbsException when the kernel refuses
     */
    public XrcDomain newXrcDomain() {
        return Lifecycle.make(() -> XrcDomain.anonymous(this), life);
    }

    /**
     * The domain of extended reliable connections of a file, {@code ibv_open_xrcd(3)}: the same for
     * all processes that have the file open.
     *
     * @param descriptor an open file; it may be closed afterwards
     * @param exclusive whether it is refused when there is one already
     * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
     * @throws VerbsException when the kernel refuses
     */
    public XrcDomain newXrcDomain(int descriptor, boolean exclusive) {
        return Lifecycle.make(() -> XrcDomain.ofFile(this, descriptor, exclusive), life);
    }

    /** Escape hatch: {@code struct ibv_context *}, valid while the context is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    Lifecycle life() {
        return life;
    }

    AsyncEvents events() {
        return events;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    ProviderPolicy policy() {
        return policy;
    }

    /** The address for calls; the caller is or holds a child, so it cannot be closed meanwhile. */
    long address() {
        return handle.address();
    }

    /**
     * Closes the device, {@code ibv_close_device}. A thread that waits for an event gets an {@link
     * IllegalStateException}. Does nothing when it is closed, or when it came from {@link
     * org.verbs4j.cm}: such a context is opened once, for all, and kept.
     *
     * @throws IllegalStateException when something made from it is open, naming it
     * @throws VerbsException when the library refuses
     */
    @Override
    public void close() {
        if (shared) {
            return;
        }
        life.close(
                () -> {
                    events.close();
                    if (Verbs.ibv_close_device(handle) != 0) {
                        events.reopen();
                        throw new VerbsException(
                                "ibv_close_device", NativeLibraries.errno(), device.name());
                    }
                    events.free();
                });
    }

    @Override
    public String toString() {
        return life.toString();
    }
}
