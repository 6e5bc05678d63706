package org.verbs4j.bindings;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The calls made for every message, with the provider's function pointer read beforehand.
 *
 * <p>{@link #pollCqFunction} and its sisters read a pointer out of {@code context->ops}, once for
 * each context: no provider changes them after the context is open. The calls then take that
 * pointer first. They allocate nothing and capture no {@code errno}, because these functions return
 * their error: 0 or an error number, {@code ibv_poll_cq} the count of completions or a negative
 * number.
 *
 * <p><b>Plain or critical.</b> A plain call lets the virtual machine stop for garbage collection
 * while C runs. A critical call, whose name ends so, omits that transition and is some 3 ns
 * cheaper, but every safepoint, every handshake and every close of a shared arena, <em>for all
 * threads</em>, waits for it to return. What takes less than 50 µs is lost in the ordinary time to
 * a safepoint; a call that sleeps or enters the kernel must never be critical. The caller decides
 * by provider: polling and posting receives stay in user space on all but hfi1 and ipath; posting
 * sends and requesting notification enter the kernel on rxe, siw (sends only), hfi1 and ipath. When
 * in doubt, plain. A queue that several threads share must be plain as well: the driver's spin lock
 * may be held by a thread that has been descheduled.
 *
 * <p>Threads: as C allows it, these functions may be called by any thread.
 */
public final class DataPath {
    private static final long OPS = ibv_context.ops$offset();
    private static final long POLL_CQ = OPS + ibv_context_ops.poll_cq$offset();
    private static final long REQ_NOTIFY_CQ = OPS + ibv_context_ops.req_notify_cq$offset();
    private static final long POST_SEND = OPS + ibv_context_ops.post_send$offset();
    private static final long POST_RECV = OPS + ibv_context_ops.post_recv$offset();
    private static final long POST_SRQ_RECV = OPS + ibv_context_ops.post_srq_recv$offset();

    private DataPath() {}

    /**
     * The pointer {@code context->ops.poll_cq}.
     *
     * @param context an open {@code ibv_context *}
     */
    public static long pollCqFunction(long context) {
        return Memory.getLong(context + POLL_CQ);
    }

    /**
     * The pointer {@code context->ops.req_notify_cq}.
     *
     * @param context an open {@code ibv_context *}
     */
    public static long reqNotifyCqFunction(long context) {
        return Memory.getLong(context + REQ_NOTIFY_CQ);
    }

    /**
     * The pointer {@code context->ops.post_send}.
     *
     * @param context an open {@code ibv_context *}
     */
    public static long postSendFunction(long context) {
        return Memory.getLong(context + POST_SEND);
    }

    /**
     * The pointer {@code context->ops.post_recv}.
     *
     * @param context an open {@code ibv_context *}
     */
    public static long postRecvFunction(long context) {
        return Memory.getLong(context + POST_RECV);
    }

    /**
     * The pointer {@code context->ops.post_srq_recv}.
     *
     * @param context an open {@code ibv_context *}
     */
    public static long postSrqRecvFunction(long context) {
        return Memory.getLong(context + POST_SRQ_RECV);
    }

    /**
     * {@code ibv_poll_cq(3)}, plain.
     *
     * @param function what {@link #pollCqFunction} read
     * @param cq an {@code ibv_cq *}
     * @param count the most completions to take
     * @param wc room for {@code count} times {@code ibv_wc}
     * @return how many were taken, or a negative number on failure
     */
    public static int pollCq(long function, long cq, int count, long wc) {
        return PlainCalls.intCall(function, cq, count, wc);
    }

    /** {@link #pollCq}, critical: only where the provider polls in user space. */
    public static int pollCqCritical(long function, long cq, int count, long wc) {
        try {
            return (int)
                    CriticalPoll.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), cq, count, wc);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * {@code ibv_req_notify_cq(3)}, plain.
     *
     * @param function what {@link #reqNotifyCqFunction} read
     * @param cq an {@code ibv_cq *}
     * @param solicitedOnly not 0 to be told of solicited completions only
     * @return 0 or an error number
     */
    public static int reqNotifyCq(long function, long cq, int solicitedOnly) {
        return PlainCalls.intCall(function, cq, solicitedOnly);
    }

    /** {@link #reqNotifyCq}, critical: only where the provider arms the queue in user space. */
    public static int reqNotifyCqCritical(long function, long cq, int solicitedOnly) {
        try {
            return (int)
                    CriticalNotify.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), cq, solicitedOnly);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    /**
     * {@code ibv_post_send(3)}, plain.
     *
     * @param function what {@link #postSendFunction} read
     * @param qp an {@code ibv_qp *}
     * @param wr the first {@code ibv_send_wr} of a list linked by {@code next}
     * @param badWr an {@code ibv_send_wr **}, not NULL: providers write the first request not
     *     accepted there
     * @return 0 or an error number
     */
    public static int postSend(long function, long qp, long wr, long badWr) {
        return PlainCalls.intCall(function, qp, wr, badWr);
    }

    /** {@link #postSend}, critical: only where the provider rings the doorbell in user space. */
    public static int postSendCritical(long function, long qp, long wr, long badWr) {
        return post(function, qp, wr, badWr);
    }

    /**
     * {@code ibv_post_recv(3)}, plain.
     *
     * @param function what {@link #postRecvFunction} read
     * @param qp an {@code ibv_qp *}
     * @param wr the first {@code ibv_recv_wr} of a list linked by {@code next}
     * @param badWr an {@code ibv_recv_wr **}, not NULL: providers write the first request not
     *     accepted there
     * @return 0 or an error number
     */
    public static int postRecv(long function, long qp, long wr, long badWr) {
        return PlainCalls.intCall(function, qp, wr, badWr);
    }

    /** {@link #postRecv}, critical: only where the provider posts in user space. */
    public static int postRecvCritical(long function, long qp, long wr, long badWr) {
        return post(function, qp, wr, badWr);
    }

    /**
     * {@code ibv_post_srq_recv(3)}, plain.
     *
     * @param function what {@link #postSrqRecvFunction} read
     * @param srq an {@code ibv_srq *}
     * @param wr the first {@code ibv_recv_wr} of a list linked by {@code next}
     * @param badWr an {@code ibv_recv_wr **}, not NULL: providers write the first request not
     *     accepted there
     * @return 0 or an error number
     */
    public static int postSrqRecv(long function, long srq, long wr, long badWr) {
        return PlainCalls.intCall(function, srq, wr, badWr);
    }

    /** {@link #postSrqRecv}, critical: only where the provider posts in user space. */
    public static int postSrqRecvCritical(long function, long srq, long wr, long badWr) {
        return post(function, srq, wr, badWr);
    }

    private static int post(long function, long queue, long wr, long badWr) {
        try {
            return (int)
                    CriticalPost.HANDLE.invokeExact(
                            MemorySegment.ofAddress(function), queue, wr, badWr);
        } catch (Throwable e) {
            throw Calls.unexpected(e);
        }
    }

    private static MethodHandle critical(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor, Linker.Option.critical(false));
    }

    private static final class CriticalPoll {
        static final MethodHandle HANDLE =
                critical(
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG));
    }

    private static final class CriticalNotify {
        static final MethodHandle HANDLE =
                critical(
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    }

    private static final class CriticalPost {
        static final MethodHandle HANDLE =
                critical(
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
    }
}
