package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_alloc_dm_attr;
import org.verbs4j.bindings.ibv_context_ops;
import org.verbs4j.bindings.ibv_device_attr_ex;
import org.verbs4j.bindings.ibv_dm;
import org.verbs4j.bindings.ibv_mr;
import org.verbs4j.bindings.ibv_sge;
import org.verbs4j.bindings.ibv_wc;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The verbs for memory that soft-RoCE does not have, on a provider that has them. */
class MemoryVerbsTest {
    private static final int SIZE = 64;

    private final FakeProvider provider = withHotCalls(new FakeProvider());
    private final MemorySegment onDevice = provider.allocate(ibv_dm.layout());
    private final byte[] bytes = new byte[SIZE];
    private int answer;
    private DeviceContext context;
    private ProtectionDomain domain;

    /** A context is believed only when it can post and poll. */
    private static FakeProvider withHotCalls(FakeProvider provider) {
        provider.provideClassic("post_send", ibv_context_ops.post_send$offset(), 3, arguments -> 0);
        provider.provideClassic("post_recv", ibv_context_ops.post_recv$offset(), 3, arguments -> 0);
        provider.provideClassic("poll_cq", ibv_context_ops.poll_cq$offset(), 3, arguments -> 0);
        return provider;
    }

    @BeforeEach
    void open() {
        context =
                provider.open(
                        new Device(
                                "fake0",
                                new Guid(1),
                                NodeType.CHANNEL_ADAPTER,
                                TransportType.INFINIBAND),
                        TestAttributes.with(ex -> ibv_device_attr_ex.max_dm_size(ex, 128)));
        domain = provider.newDomain(context);
        ibv_dm.context(onDevice, provider.handle);
        ibv_dm.memcpy_to_dm(onDevice, provider.function("to", 4, this::copyTo));
        ibv_dm.memcpy_from_dm(onDevice, provider.function("from", 4, this::copyFrom));
        provider.provide(
                "alloc_dm",
                verbs_context.alloc_dm$offset(),
                2,
                arguments -> answer == 0 ? onDevice.address() : 0);
        provider.provide("free_dm", verbs_context.free_dm$offset(), 1, arguments -> answer);
        provider.provide(
                "reg_dm_mr",
                verbs_context.reg_dm_mr$offset(),
                5,
                arguments -> region(7, 8).address());
        provider.provide(
                "alloc_null_mr",
                verbs_context.alloc_null_mr$offset(),
                1,
                arguments -> region(9, 0).address());
    }

    private MemorySegment region(int lkey, int rkey) {
        MemorySegment mr = provider.allocate(ibv_mr.layout());
        ibv_mr.lkey(mr, lkey);
        ibv_mr.rkey(mr, rkey);
        return mr;
    }

    private long copyTo(FakeProvider.Arguments arguments) {
        int length = arguments.integer(3);
        MemorySegment source = MemorySegment.ofAddress(arguments.pointer(2)).reinterpret(length);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, 0, bytes, arguments.integer(1), length);
        return answer;
    }

    private long copyFrom(FakeProvider.Arguments arguments) {
        int length = arguments.integer(3);
        MemorySegment target = MemorySegment.ofAddress(arguments.pointer(0)).reinterpret(length);
        MemorySegment.copy(bytes, arguments.integer(2), target, ValueLayout.JAVA_BYTE, 0, length);
        return answer;
    }

    @Test
    void deviceMemoryIsCopiedInAndOut() {
        DeviceMemory memory = context.newDeviceMemory(SIZE, 6);
        assertThat(memory.length()).isEqualTo(SIZE);
        assertThat(provider.callsOf("alloc_dm")).hasSize(1);
        memory.copyIn(8, MemorySegment.ofArray(new byte[] {1, 2, 3, 4}));
        assertThat(bytes).startsWith(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0);
        byte[] back = new byte[3];
        memory.copyOut(9, MemorySegment.ofArray(back));
        assertThat(back).containsExactly(2, 3, 4);
        assertThatThrownBy(() -> memory.copyIn(SIZE - 1, MemorySegment.ofArray(new byte[2])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outside of the device memory of 64 bytes");
        answer = Posix.EINVAL();
        assertThatThrownBy(() -> memory.copyOut(0, MemorySegment.ofArray(back)))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_memcpy_from_dm: EINVAL");
        assertThat(back).containsExactly(2, 3, 4);
        assertThatThrownBy(memory::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_free_dm: EINVAL");
        answer = 0;
        memory.close();
        memory.close();
        assertThat(provider.callsOf("free_dm")).hasSize(2);
        assertThatThrownBy(() -> memory.copyIn(0, MemorySegment.ofArray(back)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsAskedOfDeviceMemoryArrives() {
        provider.provide(
                "alloc_dm",
                verbs_context.alloc_dm$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_alloc_dm_attr.sizeof());
                    bytes[0] = (byte) ibv_alloc_dm_attr.length(attr);
                    bytes[1] = (byte) ibv_alloc_dm_attr.log_align_req(attr);
                    return onDevice.address();
                });
        context.newDeviceMemory(48, 5).close();
        assertThat(bytes).startsWith(48, 5);
        assertThatThrownBy(() -> context.newDeviceMemory(0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length is 0");
    }

    @Test
    void aRegionOfDeviceMemoryIsZeroBasedAndKeepsItOpen() {
        DeviceMemory memory = context.newDeviceMemory(SIZE, 0);
        MemoryRegion region =
                domain.registerDeviceMemory(memory, 16, 32, Access.LOCAL_WRITE, Access.REMOTE_READ);
        FakeProvider.Arguments asked = provider.callsOf("reg_dm_mr").getFirst().arguments();
        assertThat(asked.pointer(2)).isEqualTo(16);
        assertThat(asked.pointer(3)).isEqualTo(32);
        assertThat(asked.integer(4))
                .isEqualTo(Access.mask(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.ZERO_BASED));
        assertThat(region.remote()).isEqualTo(new RemoteBuffer(0, 32, 8));
        assertThat(region.lkey()).isEqualTo(7);
        assertThatThrownBy(region::segment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not in this process");
        assertThatThrownBy(memory::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is still used by region of device memory");
        assertThatThrownBy(() -> domain.registerDeviceMemory(memory, 33, 32))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNullRegionTakesAnyAddress() {
        MemoryRegion region = domain.newNullRegion();
        assertThat(region.lkey()).isEqualTo(9);
        assertThat(region.slice(1L << 40, 1L << 30).address()).isEqualTo(1L << 40);
        assertThatThrownBy(region::segment).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void adviceNamesTheParts() {
        long[] seen = new long[5];
        provider.provide(
                "advise_mr",
                verbs_context.advise_mr$offset(),
                5,
                arguments -> {
                    MemorySegment list = arguments.struct(3, 2 * ibv_sge.sizeof());
                    seen[0] = arguments.integer(1);
                    seen[1] = arguments.integer(2);
                    seen[2] = arguments.integer(4);
                    seen[3] = ibv_sge.addr(ibv_sge.asSlice(list, 1));
                    seen[4] = ibv_sge.length(ibv_sge.asSlice(list, 1));
                    return answer;
                });
        MemoryRegion region = domain.newNullRegion();
        domain.advise(Advice.PREFETCH_WRITE, true, region.slice(0, 8), region.slice(4096, 100));
        assertThat(seen)
                .containsExactly(
                        Verbs.IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE(),
                        Verbs.IBV_ADVISE_MR_FLAG_FLUSH(),
                        2,
                        4096,
                        100);
        answer = Posix.EFAULT();
        assertThatThrownBy(() -> domain.advise(Advice.PREFETCH, false, region.slice(0, 8)))
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_advise_mr: EFAULT");
        assertThatThrownBy(() -> domain.advise(Advice.PREFETCH, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the count of parts is 0");
        ProtectionDomain other = provider.newDomain(context);
        assertThatThrownBy(() -> other.advise(Advice.PREFETCH, false, region.slice(0, 8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another protection domain");
    }

    @Test
    void whatTheProviderLacksNamesIt() {
        FakeProvider bare = withHotCalls(new FakeProvider());
        DeviceContext without =
                bare.open(
                        new Device("bare0", new Guid(2), NodeType.UNKNOWN, TransportType.UNKNOWN),
                        TestAttributes.small());
        assertThatThrownBy(() -> without.newDeviceMemory(8, 0))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageStartingWith("ibv_alloc_dm: EOPNOTSUPP")
                .hasMessageEndingWith("the provider unknown of bare0 lacks it");
        assertThatThrownBy(() -> bare.newDomain(without).newNullRegion())
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageEndingWith("the provider unknown of bare0 lacks it");
    }

    @Test
    void anUnchangedRegionSurvivesAFailedChange() {
        MemoryRegion region = new FakeDevice().region(4096);
        for (int result :
                List.of(Verbs.IBV_REREG_MR_ERR_INPUT(), Verbs.IBV_REREG_MR_ERR_DONT_FORK_NEW())) {
            try (Arena arena = Arena.ofConfined()) {
                Reregistration change = new Reregistration().memory(arena.allocate(100));
                assertThatThrownBy(() -> change.concluded(region, result, Posix.EINVAL()))
                        .isInstanceOfSatisfying(
                                ReregistrationException.class,
                                e -> {
                                    assertThat(e.result()).isEqualTo(result);
                                    assertThat(e.outcome().state())
                                            .isEqualTo(
                                                    ReregistrationException.RegionState.UNCHANGED);
                                });
                assertThat(region.slice(4000, 96).length()).isEqualTo(96);
            }
        }
    }

    @Test
    void aChangedRegionHasTheNewMemoryAndKeys() {
        FakeDevice fake = new FakeDevice();
        MemoryRegion region = fake.region(4096);
        MemorySegment memory = Arena.ofAuto().allocate(8192);
        Reregistration change = new Reregistration().memory(memory).access(Access.LOCAL_WRITE);
        ibv_mr.lkey(region.handle(), 77);
        change.concluded(region, 0, 0);
        assertThat(region.segment()).isEqualTo(memory);
        assertThat(region.address()).isEqualTo(memory.address());
        assertThat(region.slice(8000, 192).length()).isEqualTo(192);
        assertThat(region.lkey()).isEqualTo(77);
        assertThat(region.toString()).contains("of 8192 bytes");

        assertThatThrownBy(
                        () ->
                                change.concluded(
                                        region,
                                        Verbs.IBV_REREG_MR_ERR_DO_FORK_OLD(),
                                        Posix.ENOMEM()))
                .isInstanceOf(ReregistrationException.class)
                .hasMessageContaining("the region was changed");
        assertThat(region.segment()).isEqualTo(memory);
    }

    @Test
    void aSpoiledRegionCanOnlyBeClosed() {
        for (int result :
                List.of(
                        Verbs.IBV_REREG_MR_ERR_CMD(),
                        Verbs.IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW(),
                        -99)) {
            MemoryRegion region = new FakeDevice().region(4096);
            Reregistration change = new Reregistration().access(Access.LOCAL_WRITE);
            assertThatThrownBy(() -> change.concluded(region, result, Posix.EIO()))
                    .isInstanceOf(ReregistrationException.class)
                    .hasMessageContaining("close the region");
            assertThatThrownBy(() -> region.slice(0, 8))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("can only be closed");
        }
    }

    @Test
    void aMissingReregistrationLeavesTheRegionAsItWas() {
        MemoryRegion region = new FakeDevice().region(4096);
        assertThatThrownBy(
                        () ->
                                new Reregistration()
                                        .access(Access.LOCAL_WRITE)
                                        .concluded(
                                                region,
                                                Verbs.IBV_REREG_MR_ERR_CMD(),
                                                Posix.EOPNOTSUPP()))
                .isInstanceOf(UnsupportedVerbException.class);
        assertThat(region.slice(0, 8).length()).isEqualTo(8);
    }

    @Test
    void aRegionThatMovesToAnotherDomainKeepsThatOpen() {
        FakeDevice fake = new FakeDevice();
        ProtectionDomain to = fake.provider.newDomain(fake.context);
        MemoryRegion region = fake.region(4096);
        new Reregistration().protectionDomain(to).concluded(region, 0, 0);
        assertThat(region.protectionDomain()).isSameAs(to);
        assertThatThrownBy(to::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is still used by " + region);
    }

    @Test
    void aCompletionTellsTheKeyThatItsMessageTookBackInHostOrder() {
        MemorySegment wc = provider.allocate(ibv_wc.layout());
        WorkCompletion completion = new WorkCompletion(WorkCompletions.allocate(1), wc);
        assertThat(completion.hasInvalidatedRemoteKey()).isFalse();
        ibv_wc.wc_flags(wc, Verbs.IBV_WC_WITH_INV());
        ibv_wc.invalidated_rkey(wc, 0x01020304);
        assertThat(completion.hasInvalidatedRemoteKey()).isTrue();
        assertThat(completion.hasImmediate()).isFalse();
        assertThat(completion.invalidatedRemoteKey()).isEqualTo(0x01020304);
    }
}
