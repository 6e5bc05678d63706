package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_cq_ex;
import org.verbs4j.bindings.ibv_cq_init_attr_ex;
import org.verbs4j.bindings.ibv_poll_cq_attr;
import org.verbs4j.bindings.ibv_wc_tm_info;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Extended completion queues over a provider that has every field, which soft-RoCE has not. */
class ExtendedCompletionQueueTest {
    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private final MemorySegment cq = provider.allocate(ibv_cq_ex.layout());
    private final ExtendedCompletions completions = ExtendedCompletions.allocate(3);

    /** Completions that are in the queue; each has its number as its id. */
    private int pending;

    private int nextId = 1;
    private int status = Verbs.IBV_WC_SUCCESS();
    private int startError;
    private final List<Object> seen = new ArrayList<>();

    private ExtendedCompletionQueue queue(CompletionField... fields) {
        for (CompletionField field : CompletionField.values()) {
            put(field.name(), field.reader(), field == CompletionField.TAG_MATCHING ? 2 : 1);
        }
        ibv_cq_ex.context(cq, provider.handle);
        put("opcode", ibv_cq_ex.read_opcode$offset(), 1);
        put("vendor_err", ibv_cq_ex.read_vendor_err$offset(), 1);
        put("wc_flags", ibv_cq_ex.read_wc_flags$offset(), 1);
        ibv_cq_ex.start_poll(
                cq,
                provider.function(
                        "start",
                        2,
                        arguments -> {
                            seen.add(
                                    ibv_poll_cq_attr.comp_mask(
                                            arguments.struct(1, ibv_poll_cq_attr.sizeof())));
                            return startError != 0 ? startError : advance();
                        }));
        ibv_cq_ex.next_poll(cq, provider.function("next", 1, arguments -> advance()));
        ibv_cq_ex.end_poll(cq, provider.function("end", 1, arguments -> 0));
        provider.provide(
                "create_cq_ex",
                verbs_context.create_cq_ex$offset(),
                2,
                arguments -> {
                    MemorySegment attr = arguments.struct(1, ibv_cq_init_attr_ex.sizeof());
                    seen.add(ibv_cq_init_attr_ex.cqe(attr));
                    seen.add(ibv_cq_init_attr_ex.wc_flags(attr));
                    seen.add(ibv_cq_init_attr_ex.comp_mask(attr));
                    seen.add(ibv_cq_init_attr_ex.flags(attr));
                    return cq.address();
                });
        return device.context.newExtendedCompletionQueue(16).fields(fields).build();
    }

    private long advance() {
        if (pending == 0) {
            return Posix.ENOENT();
        }
        pending--;
        ibv_cq_ex.wr_id(cq, nextId++);
        ibv_cq_ex.status(cq, status);
        return 0;
    }

    /** A reader that answers with its own offset, so that none is taken for another. */
    private void put(String name, long offset, int arity) {
        cq.set(
                Verbs.C_POINTER,
                offset,
                provider.function(
                        name,
                        arity,
                        arguments -> {
                            if (arity == 2) {
                                MemorySegment info = arguments.struct(1, ibv_wc_tm_info.sizeof());
                                ibv_wc_tm_info.tag(info, 0x1122334455667788L);
                                ibv_wc_tm_info.priv(info, 99);
                            }
                            return offset;
                        }));
    }

    private List<String> calls() {
        return provider.calls.stream().map(FakeProvider.Call::operation).toList();
    }

    /** The JVM would call NULL. */
    @Test
    void aProviderThatCannotPollAnExtendedQueueIsRefused() {
        queue(CompletionField.BYTE_LENGTH);
        AnyOperation.provide(provider, arguments -> 0);
        ibv_cq_ex.next_poll(cq, MemorySegment.NULL);
        assertThatThrownBy(() -> device.context.newExtendedCompletionQueue(16).build())
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("cannot poll extended completion queues");
        assertThat(provider.callsOf("any")).hasSize(1); // it is destroyed
    }

    @Test
    void whatIsAskedForReachesTheProvider() {
        queue(CompletionField.TIMESTAMP, CompletionField.FLOW_TAG);
        assertThat(seen)
                .containsExactly(
                        16,
                        (long)
                                (Verbs.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP()
                                        | Verbs.IBV_WC_EX_WITH_FLOW_TAG()),
                        0,
                        0);
        seen.clear();
        device.context
                .newExtendedCompletionQueue(16)
                .singleThreaded()
                .ignoreOverrun()
                .parentDomain(device.domain)
                .build();
        assertThat(seen)
                .containsExactly(
                        16,
                        0L,
                        Verbs.IBV_CQ_INIT_ATTR_MASK_FLAGS() | Verbs.IBV_CQ_INIT_ATTR_MASK_PD(),
                        Verbs.IBV_CREATE_CQ_ATTR_SINGLE_THREADED()
                                | Verbs.IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN());
    }

    @Test
    void everyFieldIsReadByItsOwnFunction() {
        ExtendedCompletionQueue queue = queue(CompletionField.values());
        pending = 1;
        assertThat(queue.poll(completions)).isEqualTo(1);
        ExtendedCompletion one = completions.get(0);
        assertThat(one.wrId()).isEqualTo(1);
        assertThat(one.byteLength()).isEqualTo(ibv_cq_ex.read_byte_len$offset());
        assertThat(NetworkOrder.toNetwork(one.immediate()))
                .isEqualTo((int) ibv_cq_ex.read_imm_data$offset());
        assertThat(one.invalidatedKey()).isEqualTo((int) ibv_cq_ex.read_imm_data$offset());
        assertThat(one.queuePairNumber()).isEqualTo((int) ibv_cq_ex.read_qp_num$offset());
        assertThat(one.sourceQueuePairNumber()).isEqualTo((int) ibv_cq_ex.read_src_qp$offset());
        assertThat(one.sourceLid()).isEqualTo((int) ibv_cq_ex.read_slid$offset());
        assertThat(one.serviceLevel()).isEqualTo((int) ibv_cq_ex.read_sl$offset() & 0xff);
        assertThat(one.destinationPathBits())
                .isEqualTo((int) ibv_cq_ex.read_dlid_path_bits$offset() & 0xff);
        assertThat(one.timestamp()).isEqualTo(ibv_cq_ex.read_completion_ts$offset());
        assertThat(one.wallClockNanos()).isEqualTo(ibv_cq_ex.read_completion_wallclock_ns$offset());
        assertThat(one.vlan()).isEqualTo((int) ibv_cq_ex.read_cvlan$offset());
        assertThat(one.flowTag()).isEqualTo((int) ibv_cq_ex.read_flow_tag$offset());
        assertThat(one.tag()).isEqualTo(0x1122334455667788L);
        assertThat(one.tagData()).isEqualTo(99);
        assertThat(one.vendorError()).isEqualTo((int) ibv_cq_ex.read_vendor_err$offset());
        assertThat(one.flags()).isEqualTo((int) ibv_cq_ex.read_wc_flags$offset());
    }

    @Test
    void oneStartAndOneEndTakeManyAndTheRestStays() {
        ExtendedCompletionQueue queue = queue();
        pending = 4;
        provider.calls.clear();
        assertThat(queue.poll(completions)).isEqualTo(3);
        assertThat(calls().stream().filter(call -> !call.contains("_") && !call.equals("opcode")))
                .containsExactly("start", "next", "next", "end");
        assertThat(queue.poll(completions)).isEqualTo(1);
        assertThat(completions.get(0).wrId()).isEqualTo(4);
        assertThat(provider.callsOf("start")).hasSameSizeAs(provider.callsOf("end"));
    }

    @Test
    void anEmptyQueueIsNotEnded() {
        ExtendedCompletionQueue queue = queue();
        assertThat(queue.poll(completions)).isZero();
        assertThat(provider.callsOf("end")).isEmpty();
        startError = Posix.EIO();
        assertThatThrownBy(() -> queue.poll(completions))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ibv_start_poll: EIO");
        assertThat(provider.callsOf("end")).isEmpty();
        assertThat(completions.size()).isZero();
    }

    @Test
    void ofAFailureOnlyWhatIsDefinedIsRead() {
        ExtendedCompletionQueue queue = queue(CompletionField.values());
        pending = 1;
        status = Verbs.IBV_WC_RETRY_EXC_ERR();
        provider.calls.clear();
        queue.poll(completions);
        assertThat(calls())
                .containsExactlyInAnyOrder(
                        "start", "vendor_err", "QUEUE_PAIR_NUMBER", "end", "next");
        assertThatThrownBy(() -> completions.get(0).requireSuccess())
                .isInstanceOf(WorkCompletionException.class);
    }

    @Test
    void aQueueOfAnotherContextsDomainIsRefused() {
        FakeDevice other = new FakeDevice();
        assertThatThrownBy(
                        () ->
                                device.context
                                        .newExtendedCompletionQueue(8)
                                        .parentDomain(other.domain))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another context");
    }
}
