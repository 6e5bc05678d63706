package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.verbs4j.Access.LOCAL_WRITE;
import static org.verbs4j.Access.REMOTE_ATOMIC;
import static org.verbs4j.Access.REMOTE_READ;
import static org.verbs4j.Access.REMOTE_WRITE;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.MemorySlice;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.RemoteBuffer;
import org.verbs4j.VerbsException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

class MemoryRegionIT {
    private DeviceContext context;
    private ProtectionDomain domain;

    @BeforeEach
    void open() {
        context = Devices.first().open();
        domain = context.newProtectionDomain();
    }

    @AfterEach
    void close() {
        domain.close();
        context.close();
    }

    @Test
    void allocatedMemoryIsPageAlignedAndZero() {
        try (MemoryRegion region = domain.allocate(10_000, LOCAL_WRITE)) {
            assertThat(region.address() % 4096).isZero();
            assertThat(region.length()).isEqualTo(10_000);
            assertThat(region.segment().byteSize()).isEqualTo(10_000);
            assertThat(region.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void memoryOfAnyNativeArenaCanBeRegistered() {
        try (Arena confined = Arena.ofConfined();
                Arena shared = Arena.ofShared()) {
            for (Arena arena : new Arena[] {confined, shared, Arena.ofAuto(), Arena.global()}) {
                MemorySegment segment = arena.allocate(100);
                try (MemoryRegion region = domain.register(segment, LOCAL_WRITE)) {
                    assertThat(region.address()).isEqualTo(segment.address());
                }
            }
        }
    }

    @Test
    void aMappedFileCanBeRegisteredFromAnyOffset(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("data");
        Files.write(file, new byte[100_000]);
        try (FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofConfined()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 100_000, arena);
            try (MemoryRegion region =
                    domain.register(mapped.asSlice(4097, 50_000), LOCAL_WRITE, REMOTE_WRITE)) {
                assertThat(region.length()).isEqualTo(50_000);
            }
        }
    }

    @Test
    @Holds("12")
    void memoryThatCannotBeRegisteredIsRefusedBeforeTheKernelIsAsked() {
        assertThatThrownBy(() -> domain.register(MemorySegment.ofArray(new byte[10]), LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on the Java heap");
        assertThatThrownBy(() -> domain.register(MemorySegment.NULL, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty");
        assertThatThrownBy(
                        () ->
                                domain.register(
                                        Arena.ofAuto().allocate(10).asReadOnly(), LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> domain.allocate(0, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("byteSize is 0");
        Arena closed = Arena.ofConfined();
        MemorySegment gone = closed.allocate(10);
        closed.close();
        assertThatThrownBy(() -> domain.register(gone, LOCAL_WRITE))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Holds("11")
    void remoteWritingWithoutLocalWritingIsRefusedWithWhatIsMissing() {
        assertThatThrownBy(() -> domain.allocate(4096, REMOTE_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_reg_mr: EINVAL")
                .hasMessageContaining("need LOCAL_WRITE as well");
        assertThatThrownBy(() -> domain.allocate(4096, REMOTE_ATOMIC))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    @Holds("12")
    void unmappedMemoryIsRefusedWithTheReason() {
        MemorySegment nowhere = MemorySegment.ofAddress(4096).reinterpret(4096);
        assertThatThrownBy(() -> domain.register(nowhere, LOCAL_WRITE))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.verb()).isEqualTo("ibv_reg_mr"))
                .hasMessageContaining("EFAULT")
                .hasMessageContaining("not mapped");
    }

    @Test
    void moreThanTheMachineHasIsRefusedWithAReason() {
        MemorySegment huge = MemorySegment.ofAddress(4096).reinterpret(1L << 46);
        assertThatThrownBy(() -> domain.register(huge, LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("cannot register " + (1L << 46) + " bytes");
    }

    @Test
    @Holds("14")
    void everyRegionHasKeysOfItsOwn() {
        try (MemoryRegion one = domain.allocate(4096, LOCAL_WRITE, REMOTE_READ);
                MemoryRegion two = domain.allocate(4096, LOCAL_WRITE, REMOTE_READ)) {
            assertThat(one.lkey()).isNotEqualTo(two.lkey());
            assertThat(one.rkey()).isNotEqualTo(two.rkey());
        }
        try (MemoryRegion local = domain.allocate(4096, LOCAL_WRITE)) {
            if (TestPlace.provider().equals("rxe")) {
                assertThat(local.rkey())
                        .isEqualTo(TestPlace.kernelIsSince(6, 12) ? local.lkey() : 0);
            }
        }
    }

    @Test
    void slicesAndRemoteViewsKeepToTheRegion() {
        try (MemoryRegion region = domain.allocate(4096, LOCAL_WRITE, REMOTE_READ)) {
            MemorySlice slice = region.slice(1000, 96);
            assertThat(slice.segment().byteSize()).isEqualTo(96);
            assertThat(slice.slice(90, 6).remote())
                    .isEqualTo(new RemoteBuffer(region.address() + 1090, 6, region.rkey()));
            assertThat(region.remote().length()).isEqualTo(4096);
            assertThatThrownBy(() -> region.slice(4000, 97))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "offset 4000 and length 97 lie outside of the memory region of 4096"
                                    + " bytes");
            assertThatThrownBy(() -> slice.slice(90, 7))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> region.slice(-1, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> region.slice(1, Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aClosedRegionRefusesEverythingButItsNumbers() {
        MemoryRegion region = domain.allocate(4096, LOCAL_WRITE);
        MemorySegment segment = region.segment();
        MemorySlice slice = region.slice(0, 8);
        region.close();
        region.close();
        assertThatThrownBy(region::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(region::remote).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> region.slice(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(slice::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
