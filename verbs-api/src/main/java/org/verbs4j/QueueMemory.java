package org.verbs4j;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where the queues made under a parent domain have their entries, for programs that want them on
 * huge pages, near a processor or in memory that others see: {@code alloc} and {@code free} of
 * {@code struct ibv_parent_domain_init_attr}.
 *
 * <p>Called within the call that makes or resizes a queue, by its thread; several threads may call
 * at a time.
 */
@FunctionalInterface
public interface QueueMemory {
    /**
     * Gives memory that nothing else uses.
     *
     * <p>It belongs to an arena that lives as long as the device needs the memory and that only the
     * library closes: allocate from it, map a file by it, or give it memory of one's own by {@link
     * MemorySegment#reinterpret(Arena, java.util.function.Consumer)}, whose clean-up action is then
     * what C calls {@code free}.
     *
     * @param arena what the memory must be of
     * @param byteSize at least so many bytes
     * @param alignment of the address: a power of 2
     * @param resource what it is for: a number of the provider's, such as {@code
     *     MLX5DV_RES_TYPE_CQ}
     * @return null to leave it to the provider, as without this. What does not suit, and an
     *     exception, make the call fail with {@code ENOMEM} and are in the log
     */
    @Nullable MemorySegment allocate(Arena arena, long byteSize, long alignment, long resource);
}
