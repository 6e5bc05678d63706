package org.verbs4j;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_parent_domain_init_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The C functions that ask a {@link QueueMemory}: they live as long as their parent domain, and so
 * does no memory that they have given longer. Nothing may be thrown out of them, which would end
 * the process.
 */
final class QueueMemoryCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QueueMemoryCalls.class);

    private final QueueMemory memory;
    private final Arena functions = Arena.ofShared();

    /** The arena of each piece of memory that a provider has, by its address. */
    private final Map<Long, Arena> given = new ConcurrentHashMap<>();

    /** An arena that only the library closes. */
    private record Lent(Arena own) implements Arena {
        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            return own.allocate(byteSize, byteAlignment);
        }

        @Override
        public MemorySegment.Scope scope() {
            return own.scope();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException(
                    "this arena is closed when the device needs its memory no more");
        }
    }

    QueueMemoryCalls(QueueMemory memory) {
        this.memory = memory;
    }

    /** Puts the functions into the attributes of a parent domain. */
    void put(MemorySegment attr) {
        ibv_parent_domain_init_attr.comp_mask(attr, Verbs.IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS());
        ibv_parent_domain_init_attr.alloc(
                attr,
                ibv_parent_domain_init_attr.alloc.allocate(
                        (_, _, size, alignment, resource) -> give(size, alignment, resource),
                        functions));
        ibv_parent_domain_init_attr.free(
                attr,
                ibv_parent_domain_init_attr.free.allocate(
                        (_, _, address, _) -> takeBack(address.address()), functions));
    }

    private MemorySegment give(long size, long alignment, long resource) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment piece = memory.allocate(new Lent(arena), size, alignment, resource);
            if (piece == null) {
                arena.close();
                return Verbs.IBV_ALLOCATOR_USE_DEFAULT();
            }
            requireSuitable(piece, arena, size, alignment);
            given.put(piece.address(), arena);
            return piece;
        } catch (Throwable e) {
            LOG.warn("no memory of {} bytes for a queue", size, e);
            end(arena);
            return MemorySegment.NULL;
        }
    }

    private static void requireSuitable(
            MemorySegment piece, Arena arena, long size, long alignment) {
        boolean suits =
                piece.isNative()
                        && !piece.isReadOnly()
                        && piece.scope().equals(arena.scope())
                        && piece.byteSize() >= size
                        && piece.address() != 0
                        && (alignment == 0
                                || Long.remainderUnsigned(piece.address(), alignment) == 0);
        if (!suits) {
            throw new IllegalArgumentException(
                    piece
                            + " does not do: it must be native and writable, of the given arena,"
                            + " at least "
                            + size
                            + " bytes long and at a multiple of "
                            + alignment);
        }
    }

    private void takeBack(long address) {
        Arena arena = given.remove(address);
        if (arena != null) {
            end(arena);
        }
    }

    /** Runs clean-up actions of the program's, which may throw. */
    private static void end(Arena arena) {
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        } catch (Throwable e) {
            LOG.warn("memory of a queue stays allocated", e);
        }
    }

    /** When the parent domain is gone, or was never made. */
    @Override
    public void close() {
        given.keySet().forEach(this::takeBack);
        functions.close();
    }
}
