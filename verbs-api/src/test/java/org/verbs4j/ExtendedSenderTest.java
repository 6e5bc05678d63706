package org.verbs4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_data_buf;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_ex;
import org.verbs4j.bindings.ibv_sge;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What an extended sender calls, over a provider that has everything, which soft-RoCE has not. */
class ExtendedSenderTest {
    private final FakeDevice device = new FakeDevice();
    private final FakeProvider provider = device.provider;
    private final MemorySegment qp = provider.allocate(ibv_qp_ex.layout());
    private final List<String> log = new ArrayList<>();
    private final MemoryRegion region = device.region(4096);
    private int result;
    private RcQueuePair pair = device.pair;

    @BeforeEach
    void open() {
        ibv_qp.qp_num(qp, 5);
        ibv_qp_ex.wr_start(qp, call("start", 1));
        ibv_qp_ex.wr_complete(
                qp,
                provider.function(
                        "complete",
                        1,
                        arguments -> {
                            log.add("complete");
                            return result;
                        }));
        ibv_qp_ex.wr_abort(qp, call("abort", 1));
        ibv_qp_ex.wr_send(qp, begin("send", 1));
        ibv_qp_ex.wr_send_imm(qp, begin("send_imm", 2));
        ibv_qp_ex.wr_send_inv(qp, begin("send_inv", 2));
        ibv_qp_ex.wr_rdma_write(qp, begin("write", 3));
        ibv_qp_ex.wr_rdma_write_imm(qp, begin("write_imm", 4));
        ibv_qp_ex.wr_rdma_read(qp, begin("read", 3));
        ibv_qp_ex.wr_atomic_cmp_swp(qp, begin("cmp_swp", 5));
        ibv_qp_ex.wr_atomic_fetch_add(qp, begin("fetch_add", 4));
        ibv_qp_ex.wr_local_inv(qp, begin("local_inv", 2));
        ibv_qp_ex.wr_set_sge(qp, call("sge", 4));
        ibv_qp_ex.wr_atomic_write(
                qp,
                provider.function(
                        "atomic_write",
                        4,
                        arguments -> {
                            log.add(
                                    "atomic_write "
                                            + arguments.integer(1)
                                            + " "
                                            + arguments.pointer(2)
                                            + " *"
                                            + arguments
                                                    .struct(3, Long.BYTES)
                                                    .get(ValueLayout.JAVA_LONG, 0));
                            return 0;
                        }));
        ibv_qp_ex.wr_send_tso(
                qp,
                provider.function(
                        "tso",
                        4,
                        arguments -> {
                            log.add(
                                    "tso "
                                            + text(arguments.struct(1, arguments.integer(2)))
                                            + " "
                                            + arguments.integer(3));
                            return 0;
                        }));
        ibv_qp_ex.wr_set_sge_list(
                qp,
                provider.function(
                        "sge_list",
                        3,
                        arguments -> {
                            long count = arguments.pointer(1);
                            MemorySegment list = arguments.struct(2, count * ibv_sge.sizeof());
                            for (int i = 0; i < count; i++) {
                                MemorySegment entry = ibv_sge.asSlice(list, i);
                                log.add(
                                        "entry "
                                                + (ibv_sge.addr(entry) - region.address())
                                                + " "
                                                + ibv_sge.length(entry));
                            }
                            return 0;
                        }));
        ibv_qp_ex.wr_set_inline_data(
                qp,
                provider.function(
                        "inline",
                        3,
                        arguments -> {
                            log.add("inline " + text(arguments.struct(1, arguments.pointer(2))));
                            return 0;
                        }));
        ibv_qp_ex.wr_set_inline_data_list(
                qp,
                provider.function(
                        "inline_list",
                        3,
                        arguments -> {
                            long count = arguments.pointer(1);
                            MemorySegment list = arguments.struct(2, count * ibv_data_buf.sizeof());
                            for (int i = 0; i < count; i++) {
                                MemorySegment entry = ibv_data_buf.asSlice(list, i);
                                log.add(
                                        "buffer "
                                                + text(
                                                        ibv_data_buf
                                                                .addr(entry)
                                                                .reinterpret(
                                                                        ibv_data_buf.length(
                                                                                entry))));
                            }
                            return 0;
                        }));
        pair = device.newPair(qp, Set.of(SendOperation.values()));
        pair.admit(true, true);
    }

    private static String text(MemorySegment bytes) {
        return new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
    }

    private static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Notes the call with its arguments but the queue pair. */
    private MemorySegment call(String name, int arity) {
        return provider.function(
                name,
                arity,
                arguments -> {
                    log.add(name + values(arguments));
                    return 0;
                });
    }

    /** Notes number and flags as well. */
    private MemorySegment begin(String name, int arity) {
        return provider.function(
                name,
                arity,
                arguments -> {
                    log.add(
                            name
                                    + values(arguments)
                                    + " id "
                                    + ibv_qp_ex.wr_id(qp)
                                    + " flags "
                                    + ibv_qp_ex.wr_flags(qp));
                    return 0;
                });
    }

    private static String values(FakeProvider.Arguments arguments) {
        StringBuilder text = new StringBuilder();
        for (int i = 1; i < arguments.values().size(); i++) {
            text.append(' ').append(arguments.pointer(i));
        }
        return text.toString();
    }

    private final RemoteBuffer remote = new RemoteBuffer(1000, 64, 7);

    @Test
    void everyOperationIsBegunWithItsArgumentsAndGetsItsData() {
        ExtendedSender sender = pair.newExtendedSender();
        sender.send().id(1).solicited(true);
        sender.sendWithImmediate(0x01020304).id(2).signaled(false);
        sender.sendAndInvalidate(9).id(3);
        sender.write(remote).id(4).fenced(true).part(region, 8, 16);
        sender.writeWithImmediate(remote, 0x01020304).id(5).part(region, 0, 4);
        sender.read(remote).id(6).part(region, 0, 4);
        sender.compareAndSwap(remote, 11, 12).id(7).part(region, 0, 8);
        sender.fetchAndAdd(remote, 13).id(8).part(region, 0, 8);
        sender.invalidate(14).id(9);
        sender.atomicWrite(remote, 15).id(10);
        sender.segmentedSend(bytes("header"), 1400).id(11).part(region, 0, 4000);
        sender.post();

        int signaled = Verbs.IBV_SEND_SIGNALED();
        long imm = NetworkOrder.toNetwork(0x01020304);
        String key = " " + region.lkey() + " ";
        long at = region.address();
        assertThat(log)
                .containsExactly(
                        "start",
                        "send id 1 flags " + (signaled | Verbs.IBV_SEND_SOLICITED()),
                        "sge 0 0 0",
                        "send_imm " + imm + " id 2 flags 0",
                        "sge 0 0 0",
                        "send_inv 9 id 3 flags " + signaled,
                        "sge 0 0 0",
                        "write 7 1000 id 4 flags " + (signaled | Verbs.IBV_SEND_FENCE()),
                        "sge" + key + (at + 8) + " 16",
                        "write_imm 7 1000 " + imm + " id 5 flags " + signaled,
                        "sge" + key + at + " 4",
                        "read 7 1000 id 6 flags " + signaled,
                        "sge" + key + at + " 4",
                        "cmp_swp 7 1000 11 12 id 7 flags " + signaled,
                        "sge" + key + at + " 8",
                        "fetch_add 7 1000 13 id 8 flags " + signaled,
                        "sge" + key + at + " 8",
                        "local_inv 14 id 9 flags " + signaled,
                        "atomic_write 7 1000 *15",
                        "tso header 1400",
                        "sge" + key + at + " 4000",
                        "complete");
    }

    @Test
    void severalPartsAndSeveralInlineBuffersGoAsLists() {
        ExtendedSender sender = pair.newExtendedSender();
        sender.write(remote).part(region, 0, 8).part(region, 16, 0).part(region, 32, 4);
        sender.send().inline(bytes("one"));
        sender.send().inline(bytes("one")).inline(bytes("two"));
        sender.post();
        assertThat(log)
                .filteredOn(line -> line.matches("(entry|inline|buffer).*"))
                .containsExactly(
                        "entry 0 8", "entry 32 4", "inline one", "buffer one", "buffer two");
        assertThat(log)
                .filteredOn(line -> line.startsWith("send"))
                .allMatch(
                        line ->
                                line.endsWith(
                                        ""
                                                + (Verbs.IBV_SEND_SIGNALED()
                                                        | Verbs.IBV_SEND_INLINE())));
    }

    @Test
    void whatTheProviderRefusesStaysCollected() {
        ExtendedSender sender = pair.newExtendedSender();
        sender.send().id(3);
        result = Posix.EINVAL();
        assertThatThrownBy(sender::post)
                .isInstanceOfSatisfying(
                        PostException.class, e -> assertThat(e.acceptedCount()).isZero())
                .hasMessageContaining("ibv_wr_complete: EINVAL")
                .hasMessageContaining("SEND request 3");
        assertThatThrownBy(sender::offer).isInstanceOf(PostException.class);
        result = Posix.ENOMEM();
        assertThat(sender.offer()).isFalse();
        assertThat(sender.size()).isEqualTo(1);
        result = 0;
        assertThat(sender.offer()).isTrue();
        assertThat(sender.size()).isZero();
        log.clear();
        sender.post();
        assertThat(log).isEmpty();
    }

    /** A NULL pointer among the operations: the provider's lock is given back. */
    @Test
    void aFailureInBetweenAborts() {
        ExtendedSender sender = pair.newExtendedSender();
        sender.send();
        sender.invalidate(1);
        ibv_qp_ex.wr_local_inv(qp, MemorySegment.NULL);
        assertThatThrownBy(sender::post).isInstanceOf(IllegalArgumentException.class);
        assertThat(log).startsWith("start").endsWith("abort").doesNotContain("complete");
    }

    @Test
    void rangesAreChecked() {
        ExtendedSender sender = pair.newExtendedSender();
        assertThatThrownBy(() -> sender.segmentedSend(bytes(""), 0x10000))
                .hasMessageContaining("segmentSize is 65536");
        ExtendedRequest request = sender.send();
        for (int i = 0; i < FakeDevice.MAX_SGE; i++) {
            request.part(region, i, 1);
        }
        assertThatThrownBy(() -> request.part(region, 0, 1))
                .hasMessageContaining("has at most " + FakeDevice.MAX_SGE + " parts");
        assertThatThrownBy(() -> sender.send().inline(MemorySegment.ofArray(new byte[65])))
                .hasMessageContaining("65 bytes of inline data exceed the 64");
    }
}
