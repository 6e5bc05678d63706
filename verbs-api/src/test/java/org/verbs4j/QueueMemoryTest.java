package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_parent_domain_init_attr;
import org.verbs4j.bindings.verbs_context;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Memory that a program gives to queues, as the provider asks for it and gives it back. */
class QueueMemoryTest {
    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final int SIZE = 4096;
    private static final int ALIGNMENT = 1024;

    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private MemorySegment ask = NONE;
    private MemorySegment giveBack = NONE;

    private ProtectionDomain parent(QueueMemory memory) {
        provider.provide(
                "alloc_parent_domain",
                verbs_context.alloc_parent_domain$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_parent_domain_init_attr.sizeof());
                    assertThat(ibv_parent_domain_init_attr.comp_mask(attr))
                            .isEqualTo(Verbs.IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS());
                    ask = ibv_parent_domain_init_attr.alloc(attr);
                    giveBack = ibv_parent_domain_init_attr.free(attr);
                    return provider.newObject().address();
                });
        AnyOperation.provide(provider, arguments -> 0);
        return device.domain.newParentDomain(null, memory);
    }

    /** As a provider does when it makes a queue. */
    private MemorySegment asked(long size) {
        return ibv_parent_domain_init_attr.alloc.invoke(ask, NONE, NONE, size, ALIGNMENT, 7);
    }

    private void free(MemorySegment piece) {
        ibv_parent_domain_init_attr.free.invoke(giveBack, NONE, NONE, piece, 7);
    }

    @Test
    void aQueueIsInTheMemoryOfTheProgramUntilTheProviderGivesItBack() {
        List<Long> questions = new ArrayList<>();
        List<MemorySegment> pieces = new ArrayList<>();
        ProtectionDomain parent =
                parent(
                        (arena, size, alignment, resource) -> {
                            questions.addAll(List.of(size, alignment, resource));
                            MemorySegment piece = arena.allocate(size, alignment);
                            pieces.add(piece);
                            return piece;
                        });
        MemorySegment given = asked(SIZE);
        assertThat(questions).containsExactly(4096L, 1024L, 7L);
        MemorySegment piece = pieces.getFirst();
        assertThat(given.address()).isEqualTo(piece.address());
        assertThat(piece.scope().isAlive()).isTrue();
        free(given);
        assertThat(piece.scope().isAlive()).isFalse();
        free(given); // no crash
        parent.close();
    }

    @Test
    void aPieceThatIsNotGivenBackEndsWithTheParentDomain() {
        List<MemorySegment> pieces = new ArrayList<>();
        ProtectionDomain parent =
                parent(
                        (arena, size, alignment, resource) -> {
                            pieces.add(arena.allocate(size, alignment));
                            return pieces.getLast();
                        });
        asked(SIZE);
        assertThat(pieces.getFirst().scope().isAlive()).isTrue();
        parent.close();
        assertThat(pieces.getFirst().scope().isAlive()).isFalse();
    }

    @Test
    void memoryOfOnesOwnIsCleanedUpWhenItIsGivenBack() {
        List<Long> cleaned = new ArrayList<>();
        MemorySegment own = Arena.ofAuto().allocate(SIZE, ALIGNMENT);
        ProtectionDomain parent =
                parent(
                        (arena, size, alignment, resource) ->
                                MemorySegment.ofAddress(own.address())
                                        .reinterpret(
                                                size, arena, gone -> cleaned.add(gone.address())));
        MemorySegment given = asked(SIZE);
        assertThat(cleaned).isEmpty();
        free(given);
        assertThat(cleaned).containsExactly(own.address());
        parent.close();
    }

    @Test
    void aFileIsMappedForAQueue() throws IOException {
        Path file = Files.createTempFile("verbs4j", ".queue");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ProtectionDomain parent =
                    parent(
                            (arena, size, alignment, resource) -> {
                                try {
                                    return channel.map(
                                            FileChannel.MapMode.READ_WRITE, 0, size, arena);
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            MemorySegment given = asked(SIZE);
            given.reinterpret(SIZE).fill((byte) 7);
            free(given);
            parent.close();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void withoutAnAnswerTheProviderTakesItsOwn() {
        ProtectionDomain parent = parent((arena, size, alignment, resource) -> null);
        assertThat(asked(SIZE)).isEqualTo(Verbs.IBV_ALLOCATOR_USE_DEFAULT());
        parent.close();
    }

    @Test
    void whatDoesNotSuitOrThrowsIsNoMemoryAndNoCrash() {
        List<QueueMemory> wrong =
                List.of(
                        (arena, size, alignment, resource) -> arena.allocate(size - 1, alignment),
                        (arena, size, alignment, resource) ->
                                arena.allocate(size + alignment, alignment).asSlice(8),
                        (arena, size, alignment, resource) ->
                                arena.allocate(size, alignment).asReadOnly(),
                        (arena, size, alignment, resource) ->
                                MemorySegment.ofArray(new byte[(int) size]),
                        (arena, size, alignment, resource) ->
                                Arena.ofAuto().allocate(size, alignment),
                        (arena, size, alignment, resource) -> {
                            arena.close();
                            return arena.allocate(size, alignment);
                        },
                        (arena, size, alignment, resource) -> {
                            throw new IllegalStateException("no more");
                        },
                        (arena, size, alignment, resource) -> {
                            throw new StackOverflowError();
                        });
        for (QueueMemory memory : wrong) {
            ProtectionDomain parent = parent(memory);
            assertThat(asked(SIZE)).isEqualTo(NONE);
            parent.close();
        }
    }

    @Test
    void aCleanUpThatThrowsIsNoCrash() {
        ProtectionDomain parent =
                parent(
                        (arena, size, alignment, resource) ->
                                arena.allocate(size, alignment)
                                        .reinterpret(
                                                arena,
                                                gone -> {
                                                    throw new IllegalStateException("not now");
                                                }));
        free(asked(SIZE));
        parent.close();
    }

    @Test
    void aParentDomainThatIsNotMadeLeavesNothing() {
        provider.provide(
                "alloc_parent_domain",
                verbs_context.alloc_parent_domain$offset(),
                2,
                arguments -> FakeProvider.refusal(Posix.ENOMEM()));
        ProtectionDomain domain = provider.newDomain(device.context);
        assertThatThrownBy(() -> domain.newParentDomain(null, (a, b, c, d) -> null))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_alloc_parent_domain: ENOMEM");
        AnyOperation.provide(provider, arguments -> 0);
        domain.close();
        assertThat(domain.life().isOpen()).isFalse();
    }
}
