package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.bindings.InlineRdmaCm;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp_cap;
import org.verbs4j.bindings.ibv_qp_init_attr;
import org.verbs4j.bindings.ibv_wc;
import org.verbs4j.bindings.rdma_addrinfo;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The synchronous calls of librdmacm, which the API leaves to the bindings because nothing ends
 * their waits: as {@code rdma_server} and {@code rdma_client} use them.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EndpointIT {
    private static final Duration LIMIT = CmPlace.limit(20);
    private static final int SIZE = 16;

    private final String port = String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000));
    private final InetAddress here = CmPlace.addresses().getFirst();

    /** Item 84. */
    @Test
    @Holds("84")
    void theSynchronousCallsWorkThroughTheBindings() throws Exception {
        CountDownLatch listening = new CountDownLatch(1);
        CompletableFuture<String> served = start(() -> serve(listening));
        assertThat(listening.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
        CompletableFuture<String> asked = start(this::ask);
        assertThat(served.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isEqualTo("question");
        assertThat(asked.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isEqualTo("answer");
    }

    private interface Side {
        String run();
    }

    /** A call that does not come back is left behind with its thread. */
    private static CompletableFuture<String> start(Side side) {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                outcome.complete(side.run());
                            } catch (Throwable e) {
                                outcome.completeExceptionally(e);
                            }
                        });
        return outcome;
    }

    private String serve(CountDownLatch listening) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment listener = endpoint(arena, Verbs.RAI_PASSIVE());
            done("rdma_listen", Verbs.rdma_listen(listener, 0));
            listening.countDown();
            MemorySegment out = arena.allocate(Verbs.C_POINTER);
            done("rdma_get_request", Verbs.rdma_get_request(listener, out));
            MemorySegment id = out.get(Verbs.C_POINTER, 0);
            try (Messages messages = new Messages(arena, id)) {
                messages.receive();
                done("rdma_accept", Verbs.rdma_accept(id, MemorySegment.NULL));
                String question = messages.received();
                messages.send("answer");
                done("rdma_disconnect", Verbs.rdma_disconnect(id));
                return question;
            } finally {
                Verbs.rdma_destroy_ep(id);
                Verbs.rdma_destroy_ep(listener);
            }
        }
    }

    private String ask() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = endpoint(arena, 0);
            try (Messages messages = new Messages(arena, id)) {
                messages.receive();
                done("rdma_connect", Verbs.rdma_connect(id, MemorySegment.NULL));
                messages.send("question");
                String answer = messages.received();
                Verbs.rdma_disconnect(id); // the server may have been first
                return answer;
            } finally {
                Verbs.rdma_destroy_ep(id);
            }
        }
    }

    private MemorySegment endpoint(Arena arena, int flags) {
        MemorySegment hints = arena.allocate(rdma_addrinfo.layout());
        rdma_addrinfo.ai_flags(hints, flags);
        rdma_addrinfo.ai_port_space(hints, Verbs.RDMA_PS_TCP());
        MemorySegment found = arena.allocate(Verbs.C_POINTER);
        done(
                "rdma_getaddrinfo",
                Verbs.rdma_getaddrinfo(
                        arena.allocateFrom(here.getHostAddress()),
                        arena.allocateFrom(port),
                        hints,
                        found));
        MemorySegment wanted = arena.allocate(ibv_qp_init_attr.layout());
        MemorySegment cap = ibv_qp_init_attr.cap(wanted);
        ibv_qp_cap.max_send_wr(cap, 1);
        ibv_qp_cap.max_recv_wr(cap, 1);
        ibv_qp_cap.max_send_sge(cap, 1);
        ibv_qp_cap.max_recv_sge(cap, 1);
        ibv_qp_init_attr.sq_sig_all(wanted, 1);
        MemorySegment out = arena.allocate(Verbs.C_POINTER);
        MemorySegment info = found.get(Verbs.C_POINTER, 0);
        done("rdma_create_ep", Verbs.rdma_create_ep(out, info, MemorySegment.NULL, wanted));
        Verbs.rdma_freeaddrinfo(info);
        return out.get(Verbs.C_POINTER, 0);
    }

    private static void done(String call, int result) {
        assertThat(result).as("%s, errno %d", call, NativeLibraries.errno()).isZero();
    }

    /** One buffer in each direction. */
    private static final class Messages implements AutoCloseable {
        private final long id;
        private final MemorySegment memory;
        private final MemorySegment completion;
        private final long region;

        Messages(Arena arena, MemorySegment id) {
            this.id = id.address();
            memory = arena.allocate(2 * SIZE);
            completion = arena.allocate(ibv_wc.layout());
            region = InlineRdmaCm.rdma_reg_msgs(this.id, memory.address(), memory.byteSize());
            assertThat(region).as("rdma_reg_msgs").isNotZero();
        }

        void receive() {
            done(
                    "rdma_post_recv",
                    InlineRdmaCm.rdma_post_recv(id, 7, memory.address(), SIZE, region));
        }

        String received() {
            assertThat(InlineRdmaCm.rdma_get_recv_comp(id, completion.address())).isEqualTo(1);
            assertThat(ibv_wc.wr_id(completion)).isEqualTo(7);
            assertThat(ibv_wc.status(completion)).isZero();
            return memory.getString(0);
        }

        void send(String text) {
            memory.setString(SIZE, text);
            long address = memory.address() + SIZE;
            done("rdma_post_send", InlineRdmaCm.rdma_post_send(id, 8, address, SIZE, region, 0));
            assertThat(InlineRdmaCm.rdma_get_send_comp(id, completion.address())).isEqualTo(1);
            assertThat(ibv_wc.status(completion)).isZero();
        }

        @Override
        public void close() {
            done("rdma_dereg_mr", InlineRdmaCm.rdma_dereg_mr(region));
        }
    }
}
