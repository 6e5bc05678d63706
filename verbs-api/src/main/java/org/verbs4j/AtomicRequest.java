package org.verbs4j;

import org.verbs4j.internal.NativeMemory;

/**
 * Changes a peer's number of 8 bytes and brings the number from before: the {@code wr.atomic} of
 * {@code struct ibv_send_wr}. How far that is atomic, {@link DeviceAttributes#atomics()} tells.
 *
 * <p>Belongs to one thread at a time, see {@link SendRequest}.
 *
 * @param <A> the request
 */
public abstract sealed class AtomicRequest<A extends AtomicRequest<A>> extends SendRequest
        permits CompareAndSwap, FetchAndAdd {
    AtomicRequest(QueuePair owner, int opcode) {
        super(owner, opcode);
    }

    abstract A self();

    @Override
    public final A id(long id) {
        putId(id);
        return self();
    }

    @Override
    public final A signaled(boolean signaled) {
        putFlag(SIGNALED, signaled);
        return self();
    }

    @Override
    public final A fenced(boolean fenced) {
        putFlag(FENCE, fenced);
        return self();
    }

    /**
     * Sets the remote number: 8 bytes, aligned to 8, in the peer's own byte order.
     *
     * @param target what the peer has told, with {@link Access#REMOTE_ATOMIC}
     * @param offset bytes from its beginning
     * @throws IllegalArgumentException when the number is not within the target, or not aligned to
     *     8 bytes
     */
    public final A at(RemoteBuffer target, long offset) {
        Arguments.part("remote buffer", offset, Long.BYTES, target.length());
        long remote = target.address() + offset;
        if ((remote & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException(
                    "the remote address 0x"
                            + Long.toHexString(remote)
                            + " of an atomic is not aligned to 8 bytes");
        }
        NativeMemory.putLong(address, ATOMIC_ADDRESS, remote);
        NativeMemory.putInt(address, ATOMIC_KEY, target.rkey());
        return self();
    }

    /**
     * Sets where the number from before is written: 8 bytes in host order.
     *
     * @param region open, with {@link Access#LOCAL_WRITE}
     * @param offset bytes from its beginning
     * @throws IllegalArgumentException when 8 bytes there are not within the region
     * @throws IllegalStateException when the region is closed
     */
    public final A into(MemoryRegion region, long offset) {
        gather(region, offset, Long.BYTES);
        return self();
    }
}
