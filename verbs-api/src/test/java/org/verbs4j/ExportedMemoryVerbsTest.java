package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_context;
import org.verbs4j.bindings.ibv_device_attr;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_dm;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.ibv_pd;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The verbs for memory that soft-RoCE does not have and that libibverbs exports, through the real
 * library to a provider that has them.
 */
class ExportedMemoryVerbsTest {
    private static final int HANDLE = 0x55;

    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;

    /** What the provider was asked, and what it answers. */
    private final List<FakeProvider.Arguments> asked = new ArrayList<>();

    private final AtomicLong answer = new AtomicLong();

    @BeforeEach
    void listen() {
        AnyOperation.provide(
                provider,
                arguments -> {
                    asked.add(arguments);
                    return answer.get();
                });
    }

    private MemorySegment nextRegion(int lkey, int rkey) {
        MemorySegment mr = provider.newObject();
        ibv_mr.lkey(mr, lkey);
        ibv_mr.rkey(mr, rkey);
        answer.set(mr.address());
        return mr;
    }

    private FakeProvider.Arguments last() {
        return asked.getLast();
    }

    @Test
    void reregistrationExchangesTheMemoryTheDomainAndTheAccess() {
        MemorySegment mr = nextRegion(1, 2);
        MemoryRegion region = device.domain.allocate(4096, Access.LOCAL_WRITE);
        MemorySegment first = region.segment();
        MemorySegment second = Arena.ofAuto().allocate(8192);
        ProtectionDomain to = provider.newDomain(device.context);
        answer.set(0);
        ibv_mr.lkey(mr, 11);
        ibv_mr.rkey(mr, 12);
        region.reregister(
                new Reregistration()
                        .memory(second)
                        .protectionDomain(to)
                        .access(Access.LOCAL_WRITE, Access.REMOTE_READ));
        assertThat(last().pointer(0)).isEqualTo(mr.address());
        assertThat(last().integer(1))
                .isEqualTo(
                        Verbs.IBV_REREG_MR_CHANGE_TRANSLATION()
                                | Verbs.IBV_REREG_MR_CHANGE_PD()
                                | Verbs.IBV_REREG_MR_CHANGE_ACCESS());
        assertThat(last().pointer(2)).isEqualTo(to.handle().address());
        assertThat(last().pointer(3)).isEqualTo(second.address());
        assertThat(last().pointer(4)).isEqualTo(8192);
        assertThat(last().integer(5))
                .isEqualTo(Access.mask(Access.LOCAL_WRITE, Access.REMOTE_READ));
        assertThat(region.remote()).isEqualTo(new RemoteBuffer(second.address(), 8192, 12));
        assertThat(region.lkey()).isEqualTo(11);
        assertThat(region.protectionDomain()).isSameAs(to);
        assertThat(first.scope().isAlive()).isFalse();
        region.close();
        assertThat(second.scope().isAlive()).isTrue();
        to.close();
    }

    @Test
    void aReregistrationThatTheDeviceRefusesLeavesARegionThatCanOnlyBeClosed() {
        nextRegion(1, 2);
        MemoryRegion region = device.domain.allocate(4096, Access.LOCAL_WRITE);
        answer.set(Posix.EINVAL());
        Reregistration change = new Reregistration().access(Access.LOCAL_WRITE);
        assertThatThrownBy(() -> region.reregister(change))
                .isInstanceOf(ReregistrationException.class);
        assertThatThrownBy(() -> region.slice(0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("can only be closed");
        answer.set(0);
        region.close();
    }

    @Test
    void memoryOfAnotherDeviceIsRegisteredByItsDescriptor() {
        nextRegion(3, 4);
        MemoryRegion region =
                device.domain.registerDmaBuf(
                        9, 8192, 1 << 20, 0x7000_0000L, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        assertThat(last().pointer(0)).isEqualTo(device.domain.handle().address());
        assertThat(last().pointer(1)).isEqualTo(8192);
        assertThat(last().pointer(2)).isEqualTo(1 << 20);
        assertThat(last().pointer(3)).isEqualTo(0x7000_0000L);
        assertThat(last().integer(4)).isEqualTo(9);
        assertThat(last().integer(5))
                .isEqualTo(Access.mask(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        assertThat(region.remote()).isEqualTo(new RemoteBuffer(0x7000_0000L, 1 << 20, 4));
        assertThat(region.slice(4096, 64).address()).isEqualTo(0x7000_1000L);
        assertThatThrownBy(region::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not in this process");
        answer.set(0);
        region.close();
        assertThatThrownBy(() -> device.domain.registerDmaBuf(9, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> device.domain.registerDmaBuf(9, -1, 8, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDomainOfAnotherProcessIsUsedAndForgotten() {
        MemorySegment pd = provider.newObject();
        ibv_pd.handle(pd, HANDLE);
        answer.set(pd.address());
        ProtectionDomain domain = device.context.importProtectionDomain(HANDLE);
        assertThat(last().pointer(0)).isEqualTo(provider.handle.address());
        assertThat(last().integer(1)).isEqualTo(HANDLE);
        assertThat(domain.kernelHandle()).isEqualTo(HANDLE);
        nextRegion(5, 6);
        MemoryRegion region = domain.importMemoryRegion(77, 0x1234_5678L);
        assertThat(last().pointer(0)).isEqualTo(pd.address());
        assertThat(last().integer(1)).isEqualTo(77);
        assertThatThrownBy(domain::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("imported memory region");
        int before = asked.size();
        region.close();
        domain.close();
        domain.close();
        assertThat(asked).hasSize(before + 2);
        assertThat(last().pointer(0)).isEqualTo(pd.address());
    }

    @Test
    void aRegionOfAnotherProcessHasItsKeysAndTheAddressThatItHasThere() {
        MemorySegment mr = nextRegion(5, 6);
        ibv_mr.length(mr, 4096);
        MemoryRegion region = device.domain.importMemoryRegion(77, 0x1234_5000L);
        assertThat(region.lkey()).isEqualTo(5);
        assertThat(region.remote()).isEqualTo(new RemoteBuffer(0x1234_5000L, 4096, 6));
        assertThatThrownBy(() -> region.slice(4000, 97))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> region.reregister(new Reregistration().access()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not of memory that can be exchanged");
        region.close();
        assertThat(last().pointer(0)).isEqualTo(mr.address());
    }

    @Test
    void deviceMemoryOfAnotherProcessIsUsedAndForgotten() {
        MemorySegment dm = provider.newObject();
        ibv_dm.handle(dm, HANDLE);
        answer.set(dm.address());
        DeviceMemory memory = device.context.importDeviceMemory(HANDLE, 64);
        assertThat(last().integer(1)).isEqualTo(HANDLE);
        assertThat(memory.length()).isEqualTo(64);
        assertThat(memory.kernelHandle()).isEqualTo(HANDLE);
        assertThatThrownBy(() -> memory.copyIn(0, MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(UnsupportedVerbException.class) // the provider has no function for it
                .hasMessageContaining("cannot copy to or from 64 bytes of device memory");
        memory.close();
        memory.close();
        assertThat(last().pointer(0)).isEqualTo(dm.address());
        assertThat(provider.callsOf("free_dm")).isEmpty();
        assertThatThrownBy(() -> device.context.importDeviceMemory(HANDLE, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsNotThereToImportIsSaid() {
        AnyOperation.provide(provider, arguments -> FakeProvider.refusal(Posix.ENOENT()));
        assertThatThrownBy(() -> device.context.importProtectionDomain(HANDLE))
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("no protection domain with the kernel's number 85");
        assertThatThrownBy(() -> device.domain.importMemoryRegion(HANDLE, 0))
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("no region with the kernel's number 85");
        assertThatThrownBy(() -> device.context.importDeviceMemory(HANDLE, 8))
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("no device memory with the kernel's number 85");
    }

    /** What {@code ibv_open_device} and {@code ibv_import_device} give. */
    @Test
    void aContextIsAskedForItsAttributesAndClosed() {
        provideAttributes(1);
        DeviceContext context = DeviceOpening.own(provider.handle);
        assertThat(context.attributes().maxQueuePairs()).isEqualTo(3);
        assertThat(context.ports()).hasSize(1);
        assertThat(context.commandFileDescriptor()).isEqualTo(7);
        context.close();
        assertThat(asked).hasSize(1);
        assertThat(last().pointer(0)).isEqualTo(provider.handle.address());
    }

    @Test
    void aContextOfALibraryLaidOutOtherwiseIsRefusedAndClosed() {
        provideAttributes(0);
        assertThatThrownBy(() -> DeviceOpening.own(provider.handle))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("has implausible attributes")
                .hasMessageContaining("check which libibverbs.so.1 is loaded");
        assertThat(asked).hasSize(1);
        ibv_context.num_comp_vectors(provider.handle, -1);
        assertThatThrownBy(() -> DeviceOpening.own(provider.handle))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("is not laid out as rdma-core 28 or newer");
        assertThat(asked).hasSize(2);
    }

    private void provideAttributes(int ports) {
        provider.provide(
                "query_device_ex",
                verbs_context.query_device_ex$offset(),
                4,
                arguments -> {
                    MemorySegment ex = arguments.struct(2, ibv_device_attr_ex.sizeof());
                    MemorySegment attr = ibv_device_attr_ex.orig_attr(ex);
                    ibv_device_attr.phys_port_cnt(attr, (byte) ports);
                    ibv_device_attr.max_qp(attr, 3);
                    return 0;
                });
    }
}
