package org.verbs4j.cm;

import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.rdma_conn_param;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * How a connection is to behave, {@code struct rdma_conn_param}. The peers settle on what both can.
 *
 * @param responderResources reads and atomics of the peer that may be under way here: 0 to 254, or
 *     {@link #MOST}
 * @param initiatorDepth reads and atomics of this end that may be under way: 0 to 254, or {@link
 *     #MOST}. With 0 none may be posted
 * @param flowControl whether the hardware controls the flow of sends
 * @param retryCount repetitions after a time-out, 0 to 7, of which soft-RoCE takes 7 for "for
 *     ever". Ignored when accepting: the connecting side decides for both. With {@link
 *     ConnectorBuilder#ackTimeout} it is the time until a request fails whose peer is gone
 * @param rnrRetryCount repetitions when the peer has no receive posted, 0 to 7; 7 is for ever
 * @param minRnrTimer the pause that this end asks for when it has no receive posted: 1 to 31, of
 *     which 12 is 0.64 ms; 0 is 655 ms
 * @param privateData what to send along, at most {@value #MAX_CONNECT_PRIVATE_DATA} bytes when
 *     connecting and {@value #MAX_ACCEPT_PRIVATE_DATA} when accepting; read-only
 */
public record ConnectionParameters(
        int responderResources,
        int initiatorDepth,
        boolean flowControl,
        int retryCount,
        int rnrRetryCount,
        int minRnrTimer,
        ByteBuffer privateData) {
    /** As many as the device can and the peer allows. */
    public static final int MOST = 0xff;

    /** Bytes of private data that a request can carry over IP addressing. */
    public static final int MAX_CONNECT_PRIVATE_DATA = 56;

    /** Bytes of private data that an acceptance can carry. */
    public static final int MAX_ACCEPT_PRIVATE_DATA = 196;

    /** Bytes of private data that a rejection can carry. */
    public static final int MAX_REJECT_PRIVATE_DATA = 148;

    /** Bytes of private data that the request of a datagram service can carry. */
    public static final int MAX_DATAGRAM_CONNECT_PRIVATE_DATA = 180;

    /** Bytes of private data that a datagram service can answer with, rejections included. */
    public static final int MAX_DATAGRAM_ACCEPT_PRIVATE_DATA = 136;

    private static final int RETRIES = 7;
    private static final int RNR_TIMER_640_US = 12;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Checks the ranges and copies the data. */
    public ConnectionParameters {
        range("responderResources", responderResources, MOST);
        range("initiatorDepth", initiatorDepth, MOST);
        range("retryCount", retryCount, 7);
        range("rnrRetryCount", rnrRetryCount, 7);
        range("minRnrTimer", minRnrTimer, 31);
        privateData = copy(privateData);
    }

    /**
     * As many reads as the device can, 7 repetitions of each kind, no private data. On soft-RoCE a
     * request whose peer's host is gone never fails with them.
     */
    public static ConnectionParameters defaults() {
        return new ConnectionParameters(
                MOST, MOST, false, RETRIES, RETRIES, RNR_TIMER_640_US, NOTHING);
    }

    private static void range(String name, int value, int most) {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", but must be 0 to " + most);
        }
    }

    static ByteBuffer copy(ByteBuffer data) {
        return ByteBuffer.allocate(data.remaining())
                .put(data.duplicate())
                .flip()
                .asReadOnlyBuffer();
    }

    /**
     * What to send along, read-only and as long as it was given; the peer gets it with zeros at the
     * end. Of a request's offer it is empty: {@link ConnectionRequest#privateData()} has it.
     */
    @Override
    public ByteBuffer privateData() {
        return privateData.duplicate();
    }

    /** These, with other private data: the bytes between position and limit, which are copied. */
    public ConnectionParameters withPrivateData(ByteBuffer data) {
        return new ConnectionParameters(
                responderResources,
                initiatorDepth,
                flowControl,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                data);
    }

    /**
     * These, with other limits of reads and atomics under way.
     *
     * @param initiated of this end: {@link #initiatorDepth}, 0 to 254 or {@link #MOST}
     * @param accepted of the peer: {@link #responderResources}, 0 to 254 or {@link #MOST}
     */
    public ConnectionParameters withReads(int initiated, int accepted) {
        return new ConnectionParameters(
                accepted,
                initiated,
                flowControl,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                privateData);
    }

    /** These, with other repetitions, each 0 to 7. */
    public ConnectionParameters withRetries(int retries, int rnrRetries) {
        return new ConnectionParameters(
                responderResources,
                initiatorDepth,
                flowControl,
                retries,
                rnrRetries,
                minRnrTimer,
                privateData);
    }

    /** These, with another pause to ask for when no receive is posted, 0 to 31. */
    public ConnectionParameters withMinRnrTimer(int code) {
        return new ConnectionParameters(
                responderResources,
                initiatorDepth,
                flowControl,
                retryCount,
                rnrRetryCount,
                code,
                privateData);
    }

    /** These, with or without flow control by the hardware. */
    public ConnectionParameters withFlowControl(boolean on) {
        return new ConnectionParameters(
                responderResources,
                initiatorDepth,
                on,
                retryCount,
                rnrRetryCount,
                minRnrTimer,
                privateData);
    }

    /** The struct, in memory of the arena. */
    MemorySegment encode(
            Arena arena, int queuePairNumber, boolean sharesReceives, int maxPrivateData) {
        MemorySegment data = encode(arena, privateData, maxPrivateData);
        MemorySegment param = arena.allocate(rdma_conn_param.layout());
        rdma_conn_param.private_data(param, data);
        rdma_conn_param.private_data_len(param, (byte) data.byteSize());
        rdma_conn_param.responder_resources(
                param, reads(responderResources, Verbs.RDMA_MAX_RESP_RES()));
        rdma_conn_param.initiator_depth(param, reads(initiatorDepth, Verbs.RDMA_MAX_INIT_DEPTH()));
        rdma_conn_param.flow_control(param, (byte) (flowControl ? 1 : 0));
        rdma_conn_param.retry_count(param, (byte) retryCount);
        rdma_conn_param.rnr_retry_count(param, (byte) rnrRetryCount);
        rdma_conn_param.srq(param, (byte) (sharesReceives ? 1 : 0));
        rdma_conn_param.qp_num(param, queuePairNumber);
        return param;
    }

    private static byte reads(int count, int most) {
        return (byte) (count == MOST ? most : count);
    }

    /** Looks before anything has been done: C would only say EINVAL. */
    static void requireAtMost(int most, ByteBuffer data) {
        if (data.remaining() > most) {
            throw new IllegalArgumentException(
                    "the private data has "
                            + data.remaining()
                            + " bytes, but this message carries at most "
                            + most);
        }
    }

    /** Private data as C takes it. */
    static MemorySegment encode(Arena arena, ByteBuffer data, int most) {
        requireAtMost(most, data);
        MemorySegment bytes = arena.allocate(data.remaining());
        bytes.copyFrom(MemorySegment.ofBuffer(data));
        return bytes;
    }

    /** What a peer proposes. */
    static ConnectionParameters decode(MemorySegment param) {
        return new ConnectionParameters(
                Byte.toUnsignedInt(rdma_conn_param.responder_resources(param)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(param)),
                rdma_conn_param.flow_control(param) != 0,
                rdma_conn_param.retry_count(param) & 7,
                rdma_conn_param.rnr_retry_count(param) & 7,
                RNR_TIMER_640_US,
                NOTHING);
    }

    /** The private data of an event, copied. */
    static ByteBuffer privateDataOf(MemorySegment param) {
        return privateData(
                rdma_conn_param.private_data(param), rdma_conn_param.private_data_len(param));
    }

    static ByteBuffer privateData(MemorySegment data, byte unsignedLength) {
        int length = Byte.toUnsignedInt(unsignedLength);
        if (length == 0 || data.address() == 0) {
            return NOTHING.asReadOnlyBuffer();
        }
        return copy(data.reinterpret(length).asByteBuffer());
    }

    /** What the limits of reads come to, when one is {@link #MOST}. */
    static int lower(int wanted, int offered) {
        return wanted == MOST ? offered : wanted;
    }

    static ByteBuffer nothing() {
        return NOTHING.asReadOnlyBuffer();
    }
}
