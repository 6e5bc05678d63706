package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.Advice;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.Reregistration;
import org.verbs4j.UnsupportedVerbException;

import java.lang.foreign.Arena;

/** What soft-RoCE does not have says so, and by whose fault. */
class MissingMemoryVerbsIT {
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

    private void isMissing(String verb, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UnsupportedVerbException.class, e -> assertThat(e.verb()).isEqualTo(verb))
                .hasMessageStartingWith(verb + ": EOPNOTSUPP")
                .hasMessageContaining("the provider rxe of " + context.device().name())
                .hasMessageContaining("lacks it");
    }

    @Test
    void deviceMemory() {
        isMissing("ibv_alloc_dm", () -> context.newDeviceMemory(64, 0));
    }

    @Test
    void nullRegions() {
        isMissing("ibv_alloc_null_mr", () -> domain.newNullRegion());
    }

    @Test
    void advice() {
        try (MemoryRegion region = domain.allocate(4096, Access.LOCAL_WRITE)) {
            isMissing(
                    "ibv_advise_mr",
                    () -> domain.advise(Advice.PREFETCH, true, region.slice(0, 4096)));
        }
    }

    @Test
    void dmaBufs() {
        isMissing(
                "ibv_reg_dmabuf_mr",
                () -> domain.registerDmaBuf(0, 0, 4096, 0, Access.LOCAL_WRITE));
    }

    @Test
    void reregistrationAndTheRegionIsAsBefore() {
        try (Arena arena = Arena.ofConfined();
                MemoryRegion region = domain.allocate(4096, Access.LOCAL_WRITE)) {
            long before = region.address();
            isMissing(
                    "ibv_rereg_mr",
                    () -> region.reregister(new Reregistration().memory(arena.allocate(8192))));
            assertThat(region.address()).isEqualTo(before);
            assertThat(region.slice(0, 4096).length()).isEqualTo(4096);
            assertThatThrownBy(() -> region.reregister(new Reregistration()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("nothing is to change");
        }
    }

    @Test
    void imports() {
        isMissing("ibv_import_pd", () -> context.importProtectionDomain(domain.kernelHandle()));
        try (MemoryRegion region = domain.allocate(4096, Access.LOCAL_WRITE)) {
            isMissing(
                    "ibv_import_mr",
                    () -> domain.importMemoryRegion(region.kernelHandle(), region.address()));
        }
        isMissing("ibv_import_dm", () -> context.importDeviceMemory(1, 64));
        assertThatThrownBy(() -> Devices.importContext(context.commandFileDescriptor()))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageStartingWith("ibv_import_device: EOPNOTSUPP");
    }
}
