package org.verbs4j.it;

import org.verbs4j.ReceiveRequest;
import org.verbs4j.SendRequest;
import org.verbs4j.bindings.ibv_recv_wr;
import org.verbs4j.bindings.ibv_send_wr;
import org.verbs4j.bindings.ibv_sge;

import java.lang.foreign.MemorySegment;

/** Puts into requests what the API would not: the device is to be asked, not the library. */
final class RawRequest {
    private RawRequest() {}

    /** The first part of its gather list. */
    static MemorySegment part(SendRequest request) {
        return ibv_send_wr.sg_list(request.handle()).reinterpret(ibv_sge.sizeof());
    }

    /** The first part of its scatter list. */
    static MemorySegment part(ReceiveRequest request) {
        return ibv_recv_wr.sg_list(request.handle()).reinterpret(ibv_sge.sizeof());
    }

    static <R extends SendRequest> R lkey(R request, int lkey) {
        ibv_sge.lkey(part(request), lkey);
        return request;
    }

    static ReceiveRequest lkey(ReceiveRequest request, int lkey) {
        ibv_sge.lkey(part(request), lkey);
        return request;
    }

    static <R extends SendRequest> R length(R request, int length) {
        ibv_sge.length(part(request), length);
        return request;
    }

    static <R extends SendRequest> R opcode(R request, int opcode) {
        ibv_send_wr.opcode(request.handle(), opcode);
        return request;
    }

    static <R extends SendRequest> R flag(R request, int flag) {
        MemorySegment wr = request.handle();
        ibv_send_wr.send_flags(wr, ibv_send_wr.send_flags(wr) | flag);
        return request;
    }

    static <R extends SendRequest> R atomicAddress(R request, long address) {
        ibv_send_wr.wr.atomic.remote_addr(
                ibv_send_wr.wr.atomic(ibv_send_wr.wr(request.handle())), address);
        return request;
    }
}
