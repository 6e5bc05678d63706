package org.verbs4j;

import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_abort;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_atomic_cmp_swp;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_atomic_fetch_add;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_atomic_write;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_bind_mw;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_complete;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_local_inv;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_rdma_read;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_rdma_write;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_rdma_write_imm;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_send;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_send_imm;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_send_inv;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_send_tso;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_inline_data;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_inline_data_list;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_sge;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_sge_list;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_ud_addr;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_set_xrc_srqn;
import static org.verbs4j.bindings.ExtendedQueuePair.ibv_wr_start;

import org.verbs4j.bindings.ibv_data_buf;
import org.verbs4j.bindings.ibv_mw_bind_info;
import org.verbs4j.bindings.ibv_qp_ex;
import org.verbs4j.bindings.ibv_sge;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Requests with all that they point to in native memory, ready to be told to the provider without
 * anything that can fail in between: from start to complete the provider holds a lock.
 */
final class ExtendedPost implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final List<ExtendedRequest> requests;
    private final boolean softRoce;

    /** What each request points to: its list, its inline data, or nothing. */
    private final MemorySegment[] data;

    /** A segmented send's header, or an atomic write's value. */
    private final MemorySegment[] arguments;

    ExtendedPost(List<ExtendedRequest> requests, boolean softRoce) {
        this.requests = requests;
        this.softRoce = softRoce;
        this.data = requests.stream().map(this::dataOf).toArray(MemorySegment[]::new);
        this.arguments = requests.stream().map(this::argumentOf).toArray(MemorySegment[]::new);
    }

    private MemorySegment dataOf(ExtendedRequest request) {
        if (request.isInline()) {
            MemorySegment bytes = allocate(request.inlineData());
            return isOneBuffer(request) ? bytes : bufferList(bytes, request.inlineLengths());
        }
        MemorySegment list = arena.allocate(ibv_sge.layout(), request.parts().size());
        for (int i = 0; i < request.parts().size(); i++) {
            MemorySlice part = request.parts().get(i);
            MemorySegment entry = ibv_sge.asSlice(list, i);
            ibv_sge.addr(entry, part.address());
            ibv_sge.length(entry, (int) part.length());
            ibv_sge.lkey(entry, part.region().lkey());
        }
        return list;
    }

    /** soft-RoCE's {@code wr_set_inline_data_list} sends nothing before rdma-core 64. */
    private boolean isOneBuffer(ExtendedRequest request) {
        return softRoce || request.inlineLengths().size() == 1;
    }

    private MemorySegment bufferList(MemorySegment bytes, List<Integer> lengths) {
        MemorySegment list = arena.allocate(ibv_data_buf.layout(), lengths.size());
        long offset = 0;
        for (int i = 0; i < lengths.size(); i++) {
            MemorySegment entry = ibv_data_buf.asSlice(list, i);
            ibv_data_buf.addr(entry, bytes.asSlice(offset));
            ibv_data_buf.length(entry, lengths.get(i));
            offset += lengths.get(i);
        }
        return list;
    }

    private MemorySegment argumentOf(ExtendedRequest request) {
        ExtendedRequest.Binding binding = request.binding;
        if (binding != null) {
            MemorySegment info = arena.allocate(ibv_mw_bind_info.layout());
            MemorySlice part = binding.part();
            MemoryWindow.describe(
                    info,
                    part.region(),
                    part.address(),
                    part.length(),
                    binding.access().toArray(Access[]::new));
            return info;
        }
        return request.operation == SendOperation.ATOMIC_WRITE
                ? arena.allocateFrom(ValueLayout.JAVA_LONG, request.first)
                : allocate(request.header);
    }

    /** Never empty, so that there is an address. */
    private MemorySegment allocate(byte... bytes) {
        MemorySegment copy = arena.allocate(bytes.length + 1L);
        MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return copy;
    }

    /**
     * From start to complete.
     *
     * @return 0, or the error number of {@code ibv_wr_complete}
     */
    int run(long qp) {
        MemorySegment pair = MemorySegment.ofAddress(qp).reinterpret(ibv_qp_ex.sizeof());
        boolean complete = false;
        ibv_wr_start(qp);
        try {
            for (int i = 0; i < requests.size(); i++) {
                ExtendedRequest request = requests.get(i);
                ibv_qp_ex.wr_id(pair, request.id());
                ibv_qp_ex.wr_flags(pair, request.flags());
                begin(qp, request, arguments[i]);
                setAddress(qp, request);
                if (request.takesData()) {
                    setData(qp, request, data[i]);
                }
            }
            complete = true;
        } finally {
            if (!complete) {
                ibv_wr_abort(qp);
            }
        }
        return ibv_wr_complete(qp);
    }

    private static void begin(long qp, ExtendedRequest request, MemorySegment argument) {
        long remote = request.remoteAddress;
        int key = request.key;
        switch (request.operation) {
            case SEND -> ibv_wr_send(qp);
            case SEND_WITH_IMMEDIATE -> ibv_wr_send_imm(qp, immediate(request));
            case SEND_AND_INVALIDATE -> ibv_wr_send_inv(qp, key);
            case WRITE -> ibv_wr_rdma_write(qp, key, remote);
            case WRITE_WITH_IMMEDIATE -> ibv_wr_rdma_write_imm(qp, key, remote, immediate(request));
            case READ -> ibv_wr_rdma_read(qp, key, remote);
            case COMPARE_AND_SWAP ->
                    ibv_wr_atomic_cmp_swp(qp, key, remote, request.first, request.second);
            case FETCH_AND_ADD -> ibv_wr_atomic_fetch_add(qp, key, remote, request.first);
            case ATOMIC_WRITE -> ibv_wr_atomic_write(qp, key, remote, argument.address());
            case BIND_WINDOW -> bind(qp, request, argument);
            case LOCAL_INVALIDATE -> ibv_wr_local_inv(qp, key);
            case SEGMENTED_SEND ->
                    ibv_wr_send_tso(
                            qp, argument.address(), request.header.length, (int) request.first);
        }
    }

    private static void bind(long qp, ExtendedRequest request, MemorySegment info) {
        ExtendedRequest.Binding binding = request.binding;
        if (binding != null) {
            long window = binding.window().handle().address();
            ibv_wr_bind_mw(qp, window, request.key, info.address());
        }
    }

    private static void setAddress(long qp, ExtendedRequest request) {
        AddressHandle destination = request.destination();
        if (destination != null) {
            long handle = destination.handle().address();
            ibv_wr_set_ud_addr(qp, handle, request.remoteNumber(), request.remoteKey());
        } else if (request.namesQueue()) {
            ibv_wr_set_xrc_srqn(qp, request.remoteNumber());
        }
    }

    private static int immediate(ExtendedRequest request) {
        return NetworkOrder.toNetwork((int) request.first);
    }

    private void setData(long qp, ExtendedRequest request, MemorySegment data) {
        if (request.isInline()) {
            if (isOneBuffer(request)) {
                ibv_wr_set_inline_data(qp, data.address(), request.inlineData().length);
            } else {
                ibv_wr_set_inline_data_list(qp, request.inlineLengths().size(), data.address());
            }
            return;
        }
        int count = request.parts().size();
        if (count > 1) {
            ibv_wr_set_sge_list(qp, count, data.address());
        } else if (count == 1) {
            MemorySlice part = request.parts().getFirst();
            ibv_wr_set_sge(qp, part.region().lkey(), part.address(), (int) part.length());
        } else {
            // Some providers finish a request only when its data is set.
            ibv_wr_set_sge(qp, 0, 0, 0);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
