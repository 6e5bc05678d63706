package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_attr;
import org.verbs4j.bindings.ibv_qp_init_attr_ex;
import org.verbs4j.bindings.ibv_rx_hash_conf;
import org.verbs4j.bindings.verbs_context;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/**
 * Receive-side scaling: a queue pair that hashes the header of a packet and hands it to one of the
 * work queues of an {@link IndirectionTable}, {@code IBV_QP_INIT_ATTR_RX_HASH}. It sends nothing,
 * and what it receives completes at the work queues. A {@link Flow} steers packets to it. Needs
 * CAP_NET_RAW, and a device that can: {@link DeviceOffloads.Hashing}.
 *
 * <p>Any thread may use it, several at a time.
 */
public final class RssQueuePair implements AutoCloseable {
    private final DeviceContext context;
    private final MemorySegment handle;
    private final int port;
    private final Lifecycle life;

    /** How a header is hashed: {@code enum ibv_rx_hash_function_flags}. */
    public enum Function {
        /** By a key, as network adapters do. */
        TOEPLITZ(Verbs.IBV_RX_HASH_FUNC_TOEPLITZ());

        private final int code;

        Function(int code) {
            this.code = code;
        }

        /** Its bit in C, and in {@link DeviceOffloads.Hashing#functions()}. */
        public int code() {
            return code;
        }
    }

    /** What of a header is hashed: {@code enum ibv_rx_hash_fields}. */
    public enum Field {
        /** Where an IPv4 packet comes from. */
        SOURCE_IPV4(Verbs.IBV_RX_HASH_SRC_IPV4()),
        /** Where an IPv4 packet goes to. */
        DESTINATION_IPV4(Verbs.IBV_RX_HASH_DST_IPV4()),
        /** Where an IPv6 packet comes from. */
        SOURCE_IPV6(Verbs.IBV_RX_HASH_SRC_IPV6()),
        /** Where an IPv6 packet goes to. */
        DESTINATION_IPV6(Verbs.IBV_RX_HASH_DST_IPV6()),
        /** The port that a TCP segment comes from. */
        SOURCE_TCP_PORT(Verbs.IBV_RX_HASH_SRC_PORT_TCP()),
        /** The port that a TCP segment goes to. */
        DESTINATION_TCP_PORT(Verbs.IBV_RX_HASH_DST_PORT_TCP()),
        /** The port that a UDP datagram comes from. */
        SOURCE_UDP_PORT(Verbs.IBV_RX_HASH_SRC_PORT_UDP()),
        /** The port that a UDP datagram goes to. */
        DESTINATION_UDP_PORT(Verbs.IBV_RX_HASH_DST_PORT_UDP()),
        /** The security parameter index of IPsec. */
        IPSEC_SPI(Verbs.IBV_RX_HASH_IPSEC_SPI()),
        /** The other fields are those of the packet inside of a tunnel. */
        INNER(Verbs.IBV_RX_HASH_INNER());

        private final long bit;

        Field(int bit) {
            this.bit = Integer.toUnsignedLong(bit);
        }

        /** Its bit in C, and in {@link DeviceOffloads.Hashing#fields()}. */
        public long code() {
            return bit;
        }

        static long mask(Set<Field> fields) {
            return fields.stream().mapToLong(Field::code).reduce(0, (a, b) -> a | b);
        }
    }

    private RssQueuePair(
            DeviceContext context, MemorySegment handle, int port, Lifecycle... parents) {
        this.context = context;
        this.handle = handle;
        this.port = port;
        this.life =
                new Lifecycle(
                        "RSS queue pair "
                                + ibv_qp.qp_num(handle)
                                + " on "
                                + context.device().name(),
                        parents);
    }

    /** Its number, 24 bits: {@code qp_num}. */
    public int number() {
        return life.whileOpen(() -> ibv_qp.qp_num(handle));
    }

    /**
     * Puts a rule in force that steers packets here, {@code ibv_create_flow(3)}.
     *
     * @throws UnsupportedVerbException when the device cannot steer, or not so
     * @throws VerbsException when the device refuses
     */
    public Flow newFlow(FlowRule rule) {
        return Flow.make(context, life, handle, rule);
    }

    /**
     * Moves it from RESET to where it receives, {@code ibv_modify_qp(3)}. mlx4 wants that; on mlx5,
     * whose queue pairs of this kind have no states, it does nothing.
     *
     * @throws VerbsException when the device refuses
     */
    public void activate() {
        life.runWhileOpen(
                () -> {
                    if (move(QueuePairState.INIT, Verbs.IBV_QP_PORT())) {
                        move(QueuePairState.READY_TO_RECEIVE, 0);
                    }
                });
    }

    /** Whether it has states. */
    private boolean move(QueuePairState to, int more) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            ibv_qp_attr.qp_state(attr, to.code());
            ibv_qp_attr.port_num(attr, (byte) port);
            int errno = Verbs.ibv_modify_qp(handle, attr, Verbs.IBV_QP_STATE() | more);
            if (UnsupportedVerbs.isMissing(errno)) {
                return false;
            }
            if (errno != 0) {
                throw new VerbsException(
                        "ibv_modify_qp", errno, "moving the " + life + " to " + to);
            }
            return true;
        }
    }

    /** Escape hatch: {@code struct ibv_qp *}, valid while the queue pair is open. */
    public MemorySegment handle() {
        life.requireOpen();
        return handle;
    }

    /**
     * Destroys the queue pair, {@code ibv_destroy_qp}. Does nothing when it is closed.
     *
     * @throws IllegalStateException when a flow still steers to it, naming it
     * @throws VerbsException when the kernel refuses
     */
    @Override
    public void close() {
        life.close(
                "ibv_destroy_qp", "cannot destroy the " + life, () -> Verbs.ibv_destroy_qp(handle));
    }

    @Override
    public String toString() {
        return life.toString();
    }

    /**
     * Options of a queue pair that spreads what it receives: {@code struct ibv_rx_hash_conf}.
     * Belongs to one thread.
     */
    public static final class Builder {
        /** What mlx4 and mlx5 take. */
        private static final int KEY_LENGTH = 40;

        private static final int MOST_KEY_LENGTH = 0xff;

        private final ProtectionDomain domain;
        private final IndirectionTable table;
        private final Set<Field> fields = EnumSet.noneOf(Field.class);
        private Function function = Function.TOEPLITZ;
        private byte[] key = new byte[KEY_LENGTH];
        private Set<QueuePairOption> options = Set.of();
        private int port = 1;
        private boolean datagrams;
        private int sourceQueuePair;

        Builder(ProtectionDomain domain, IndirectionTable table) {
            if (table.context() != domain.context()) {
                throw new IllegalArgumentException(
                        "the " + table + " is of another context than the " + domain);
            }
            this.domain = domain;
            this.table = table;
            new SecureRandom().nextBytes(key); // nobody outside can then fill one queue
        }

        /**
         * Sets how a header is hashed.
         *
         * @param by {@link Function#TOEPLITZ} at first
         */
        public Builder function(Function by) {
            function = by;
            return this;
        }

        /**
         * Sets the key of the hash.
         *
         * @param bytes at most 255; devices take one length only, mlx4 and mlx5 40. At first 40
         *     random ones
         * @throws IllegalArgumentException when there are more
         */
        public Builder key(byte... bytes) {
            Arguments.range("the length of the key", bytes.length, 0, MOST_KEY_LENGTH);
            key = bytes.clone();
            return this;
        }

        /**
         * Sets what is hashed. Without any, all packets go to the first queue of the table.
         *
         * @param some none at first; devices want both ports of a protocol, or one and its IP
         *     addresses
         */
        public Builder fields(Field... some) {
            fields.clear();
            fields.addAll(Set.of(some));
            return this;
        }

        /**
         * Asks for what few devices can do.
         *
         * @param wanted none at first
         */
        public Builder options(QueuePairOption... wanted) {
            options = Set.of(wanted);
            return this;
        }

        /**
         * Sets the port, which {@link #activate()} tells the device.
         *
         * @param number from 1, which it is at first
         */
        public Builder port(int number) {
            port = domain.context().port(number).number();
            return this;
        }

        /**
         * Lets it take the datagrams to a queue pair number, rather than Ethernet frames: {@code
         * IBV_QPT_UD} with {@code IBV_QP_CREATE_SOURCE_QPN}, as IP over InfiniBand has them.
         *
         * @param sourceQueuePair the number, 24 bits
         * @throws IllegalArgumentException when it has more
         */
        public Builder datagrams(int sourceQueuePair) {
            this.sourceQueuePair =
                    Arguments.range("sourceQueuePair", sourceQueuePair, 0, 0xff_ffff);
            datagrams = true;
            return this;
        }

        /**
         * Makes the queue pair, {@code ibv_create_qp_ex(3)}, in RESET.
         *
         * @throws UnsupportedVerbException when the device cannot spread, or not so
         * @throws VerbsException when the device refuses
         */
        public RssQueuePair build() {
            return Lifecycle.make(this::create, domain.life(), table.life());
        }

        private RssQueuePair create() {
            DeviceContext context = domain.context();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment init = arena.allocate(ibv_qp_init_attr_ex.layout());
                fill(init, arena);
                long qp = ContextVerbs.ibv_create_qp_ex(context.address(), init.address());
                if (qp == 0) {
                    throw refused(NativeLibraries.errno());
                }
                return new RssQueuePair(
                        context,
                        MemorySegment.ofAddress(qp).reinterpret(ibv_qp.sizeof()),
                        port,
                        domain.life(),
                        table.life());
            }
        }

        private void fill(MemorySegment init, Arena arena) {
            int flags = QueuePairOption.mask(options);
            if (datagrams) {
                flags |= Verbs.IBV_QP_CREATE_SOURCE_QPN();
                ibv_qp_init_attr_ex.source_qpn(init, sourceQueuePair);
            }
            int mask =
                    Verbs.IBV_QP_INIT_ATTR_PD()
                            | Verbs.IBV_QP_INIT_ATTR_IND_TABLE()
                            | Verbs.IBV_QP_INIT_ATTR_RX_HASH();
            if (flags != 0) {
                mask |= Verbs.IBV_QP_INIT_ATTR_CREATE_FLAGS();
                ibv_qp_init_attr_ex.create_flags(init, flags);
            }
            ibv_qp_init_attr_ex.comp_mask(init, mask);
            ibv_qp_init_attr_ex.qp_type(init, type().code());
            ibv_qp_init_attr_ex.pd(init, domain.handle());
            ibv_qp_init_attr_ex.rwq_ind_tbl(init, table.handle());
            MemorySegment hash = ibv_qp_init_attr_ex.rx_hash_conf(init);
            ibv_rx_hash_conf.rx_hash_function(hash, (byte) function.code());
            ibv_rx_hash_conf.rx_hash_key_len(hash, (byte) key.length);
            ibv_rx_hash_conf.rx_hash_key(hash, arena.allocateFrom(ValueLayout.JAVA_BYTE, key));
            ibv_rx_hash_conf.rx_hash_fields_mask(hash, Field.mask(fields));
        }

        private QueuePairType type() {
            return datagrams ? QueuePairType.UD : QueuePairType.RAW_PACKET;
        }

        private VerbsException refused(int errno) {
            DeviceContext context = domain.context();
            String what = this + " on " + context.device().name();
            boolean forbidden = errno == Posix.EPERM() || errno == Posix.EACCES();
            return UnsupportedVerbs.failure(
                    "ibv_create_qp_ex",
                    errno,
                    context,
                    verbs_context.create_qp_ex$offset(),
                    forbidden ? what + ": needs CAP_NET_RAW" : what);
        }

        /** What was asked for, for messages; without the key. */
        @Override
        public String toString() {
            return "a queue pair of type "
                    + type().symbol()
                    + " that spreads by "
                    + function
                    + " over "
                    + fields
                    + " with a key of "
                    + key.length
                    + " bytes"
                    + (options.isEmpty() ? "" : " and " + options);
        }
    }
}
