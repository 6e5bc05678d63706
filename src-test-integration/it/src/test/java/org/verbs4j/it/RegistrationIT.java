package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.verbs4j.Access.LOCAL_WRITE;
import static org.verbs4j.Access.REMOTE_READ;
import static org.verbs4j.Access.REMOTE_WRITE;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.UnsupportedVerbException;
import org.verbs4j.VerbsException;
import org.verbs4j.WorkStatus;
import org.verbs4j.Write;
import org.verbs4j.bindings.Posix;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The ways to register memory, and what the device makes of them. */
class RegistrationIT {
    private static final long PAGE = 4096;
    private static final Path HUGE_PAGES = Path.of("/proc/sys/vm/nr_hugepages");

    private RdmaPair pair;
    private RdmaPair.Side left;
    private RdmaPair.Side right;
    private ProtectionDomain domain;

    @BeforeEach
    void connect() {
        pair = RdmaPair.onOneDevice();
        left = pair.left;
        right = pair.right;
        domain = right.domain;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private WorkStatus write(RemoteBuffer target, long length) {
        return left.run(left.pair.newWrite().from(left.memory, 0, length).to(target, 0)).status();
    }

    @Test
    @Holds("11")
    void everyCombinationIsAcceptedButRemoteWritingWithoutLocalWriting() {
        Access[] all = {
            LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, Access.REMOTE_ATOMIC, Access.MEMORY_WINDOW_BIND
        };
        for (int mask = 0; mask < 1 << all.length; mask++) {
            List<Access> chosen = new ArrayList<>();
            for (int i = 0; i < all.length; i++) {
                if ((mask & 1 << i) != 0) {
                    chosen.add(all[i]);
                }
            }
            Access[] access = chosen.toArray(Access[]::new);
            boolean remote = chosen.contains(REMOTE_WRITE) || chosen.contains(Access.REMOTE_ATOMIC);
            if (remote && !chosen.contains(LOCAL_WRITE)) {
                assertThatThrownBy(() -> domain.allocate(100, access))
                        .as("%s", chosen)
                        .hasMessageStartingWith("ibv_reg_mr: EINVAL");
            } else {
                domain.allocate(100, access).close();
            }
        }
    }

    @Test
    @Holds("11")
    void hintsAreAcceptedWhereTheDriverKnowsThem() {
        domain.allocate(PAGE, LOCAL_WRITE, Access.RELAXED_ORDERING).close();
        for (Access newer : new Access[] {Access.HUGE_TLB, Access.ZERO_BASED}) {
            try (MemoryRegion region = domain.allocate(PAGE, LOCAL_WRITE, newer)) {
                assertThat(region.length()).isEqualTo(PAGE);
            } catch (UnsupportedVerbException e) { // from Linux 6.3 on
                assertThat(e).hasMessageContaining("does not have one of the accesses");
            }
        }
        assertThatThrownBy(() -> domain.allocate(PAGE, LOCAL_WRITE, Access.ON_DEMAND))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ON_DEMAND");
        assertThatThrownBy(() -> domain.registerAddressSpace(LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("implicit on-demand paging");
    }

    @Test
    @Holds("12")
    void memoryWhoseTailIsNotMappedIsRefused() {
        MemorySegment mapped =
                Posix.mmap(
                        MemorySegment.NULL,
                        2 * PAGE,
                        Posix.PROT_READ() | Posix.PROT_WRITE(),
                        Posix.MAP_PRIVATE() | Posix.MAP_ANONYMOUS(),
                        -1,
                        0);
        MemorySegment both = mapped.reinterpret(2 * PAGE);
        domain.register(both, LOCAL_WRITE).close();
        assertThat(Posix.munmap(both.asSlice(PAGE), PAGE)).isZero();
        assertThatThrownBy(() -> domain.register(both, LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EFAULT");
        domain.register(both.asSlice(0, PAGE), LOCAL_WRITE).close();
        assertThat(Posix.munmap(mapped, PAGE)).isZero();
    }

    @Test
    @Holds("15")
    void peersAndTheOwnRequestsCountFromTheAddressOfTheRegistration() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(3 * PAGE, PAGE).asSlice(100, 2 * PAGE);
            long iova = 0x7000_0000_0000L + 100;
            try (MemoryRegion region = domain.registerAt(memory, iova, LOCAL_WRITE, REMOTE_WRITE)) {
                assertThat(region.address()).isEqualTo(iova);
                assertThat(region.remote().address()).isEqualTo(iova);
                assertThat(region.segment().address()).isEqualTo(memory.address());
                left.fill(0, 5000, 3);
                assertThat(write(region.remote(1000, 5000), 5000)).isEqualTo(WorkStatus.SUCCESS);
                assertThat(memory.asSlice(1000, 5000))
                        .satisfies(
                                part ->
                                        assertThat(
                                                        part.mismatch(
                                                                left.memory
                                                                        .segment()
                                                                        .asSlice(0, 5000)))
                                                .isEqualTo(-1));
                Write back = right.pair.newWrite().from(region, 1000, 5000);
                assertThat(right.run(back.to(left.memory.remote(), 8000)).status())
                        .isEqualTo(WorkStatus.SUCCESS);
                assertThat(
                                left.memory
                                        .segment()
                                        .asSlice(8000, 5000)
                                        .mismatch(left.memory.segment().asSlice(0, 5000)))
                        .isEqualTo(-1);
            }
            assertThatThrownBy(() -> domain.registerAt(memory, iova + 1, LOCAL_WRITE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageStartingWith("ibv_reg_mr_iova: EINVAL")
                    .hasMessageContaining("as far into a page");
        }
    }

    @Test
    void aZeroBasedRegionCountsFromZero() {
        try (MemoryRegion region =
                domain.allocate(2 * PAGE, LOCAL_WRITE, REMOTE_WRITE, Access.ZERO_BASED)) {
            assertThat(region.remote().address()).isZero();
            left.fill(0, 100, 9);
            assertThat(write(region.remote(5000, 100), 100)).isEqualTo(WorkStatus.SUCCESS);
            assertThat(
                            region.segment()
                                    .asSlice(5000, 100)
                                    .mismatch(left.memory.segment().asSlice(0, 100)))
                    .isEqualTo(-1);
        } catch (UnsupportedVerbException e) { // from Linux 6.3 on
            assertThat(e.errno()).isEqualTo(Posix.EOPNOTSUPP());
        }
    }

    @Test
    void memoryOnHugePagesIsAlignedToThemOrRefusedWithHowManyAreFree() throws IOException {
        if (!Files.exists(HUGE_PAGES)) {
            assertThatThrownBy(() -> domain.allocateOnHugePages(1, LOCAL_WRITE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessage("mmap: this kernel has no huge pages");
            return;
        }
        String before = Files.readString(HUGE_PAGES).strip();
        try {
            Files.writeString(HUGE_PAGES, "4");
            try (MemoryRegion region =
                    domain.allocateOnHugePages(3 << 20, LOCAL_WRITE, REMOTE_WRITE)) {
                assertThat(region.address() % (1 << 21)).isZero();
                assertThat(region.length()).isEqualTo(3 << 20);
                left.fill(0, 100, 5);
                assertThat(write(region.remote((3 << 20) - 100, 100), 100))
                        .isEqualTo(WorkStatus.SUCCESS);
            }
            Files.writeString(HUGE_PAGES, "0");
            assertThatThrownBy(() -> domain.allocateOnHugePages(3 << 20, LOCAL_WRITE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageStartingWith("mmap: ENOMEM")
                    .hasMessageContaining("need 2 huge pages of 2048 KiB, and 0 are free")
                    .hasMessageContaining("sysctl vm.nr_hugepages=N");
        } finally {
            Files.writeString(HUGE_PAGES, before);
        }
    }

    @Test
    @Holds("16")
    void whatIsPostedOnAClosedRegionFails() {
        MemoryRegion region = left.domain.allocate(PAGE, LOCAL_WRITE);
        Write write = left.pair.newWrite().from(region, 0, 100).to(right.memory.remote(), 0);
        region.close();
        Conformance.fact("16").requireStatus("sender", left.run(write).status());
    }

    @Test
    void aPeerCannotReachAClosedRegion() {
        MemoryRegion region = domain.allocate(PAGE, LOCAL_WRITE, REMOTE_WRITE);
        RemoteBuffer target = region.remote();
        region.close();
        assertThat(write(target, 100)).isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
    }

    @Test
    void anArenaThatClosesUnderARegionIsNoticedAndTheRegionStillCloses() {
        Arena arena = Arena.ofShared();
        MemoryRegion region = left.domain.register(arena.allocate(PAGE), LOCAL_WRITE);
        arena.close();
        assertThatThrownBy(() -> left.pair.newSend().from(region, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the arena of the memory is closed");
        assertThatThrownBy(() -> left.pair.newSend().from(region.slice(0, 8)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> region.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        region.close();
    }

    @Test
    void anArenaOutlivesTheRegionsOfItsMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(PAGE);
            domain.register(memory, LOCAL_WRITE).close();
            memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
            domain.register(memory, LOCAL_WRITE).close();
        }
    }
}
