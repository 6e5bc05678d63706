package org.verbs4j;

import org.verbs4j.bindings.ContextVerbs;
import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Verbs;
import org.verbs4j.bindings.ibv_qp;
import org.verbs4j.bindings.ibv_qp_open_attr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The receiving half of an extended reliable connection, {@code IBV_QPT_XRC_RECV}: hands what
 * arrives to the shared receive queue of its {@link XrcDomain} that the sender names. Nothing is
 * posted to it and nothing completes on it.
 *
 * <p>Any process with the same domain may open it by its number; it lives until the last has closed
 * it.
 *
 * <p>Threads as {@link QueuePair} says, steps as {@link ConnectedQueuePair} says.
 */
public final class XrcReceiveQueuePair extends ConnectedQueuePair {
    XrcReceiveQueuePair(QueuePairSetup setup) {
        super(setup);
    }

    /** Options of the receiving half of an extended reliable connection. Belongs to one thread. */
    public static final class Builder extends ConnectedQueuePair.Builder<Builder> {
        Builder(XrcDomain domain) {
            super(domain);
        }

        @Override
        Builder self() {
            return this;
        }

        /**
         * Opens a queue pair that another process, or another part of this one, has made in the
         * same domain, {@code ibv_open_qp(3)}. It is left in its state.
         *
         * @param number its number, 24 bits
         * @throws UnsupportedVerbException when the library, the provider or the kernel cannot
         * @throws VerbsException when there is no such queue pair
         */
        public XrcReceiveQueuePair open(int number) {
            Arguments.range("number", number, 0, 0xff_ffff);
            return Lifecycle.make(() -> openHeld(number), parents());
        }

        private XrcReceiveQueuePair openHeld(int number) {
            XrcDomain domain = Objects.requireNonNull(xrcDomain);
            Port attached = port == null ? context.activePort() : context.port(port);
            GidEntry source = gid != null ? gid : attached.routableGid().orElse(null);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attr = arena.allocate(ibv_qp_open_attr.layout());
                ibv_qp_open_attr.comp_mask(
                        attr,
                        Verbs.IBV_QP_OPEN_ATTR_NUM()
                                | Verbs.IBV_QP_OPEN_ATTR_XRCD()
                                | Verbs.IBV_QP_OPEN_ATTR_TYPE());
                ibv_qp_open_attr.qp_num(attr, number);
                ibv_qp_open_attr.xrcd(attr, domain.handle());
                ibv_qp_open_attr.qp_type(attr, QueuePairType.XRC_RECEIVE.code());
                long qp = ContextVerbs.ibv_open_qp(context.address(), attr.address());
                if (qp == 0) {
                    throw notOpened(number, NativeLibraries.errno());
                }
                XrcReceiveQueuePair opened =
                        new XrcReceiveQueuePair(
                                QueuePairCreation.describe(
                                        this,
                                        QueuePairType.XRC_RECEIVE,
                                        MemorySegment.ofAddress(qp).reinterpret(ibv_qp.sizeof()),
                                        attached,
                                        source,
                                        QueuePairSetup.Capacity.NONE));
                context.queuePairs().add(opened);
                return opened;
            }
        }

        private VerbsException notOpened(int number, int errno) {
            String device = context.device().name() + " (provider " + context.provider() + ")";
            return UnsupportedVerbs.isMissing(errno)
                    ? new UnsupportedVerbException(
                            "ibv_open_qp", errno, device + " cannot open existing queue pairs")
                    : new VerbsException(
                            "ibv_open_qp",
                            errno,
                            "there is no XRC receiver " + number + " in the domain on " + device);
        }

        /**
         * Makes the queue pair, {@code ibv_create_qp(3)}, and moves it to {@link
         * QueuePairState#INIT}.
         *
         * @throws UnsupportedVerbException when the device does not have this type
         * @throws VerbsException when the device refuses, naming the limit exceeded, or no port is
         *     ACTIVE
         * @throws IllegalArgumentException when there is no such port, or its GID table has no such
         *     entry
         */
        public XrcReceiveQueuePair build() {
            return make(QueuePairType.XRC_RECEIVE, XrcReceiveQueuePair::new);
        }
    }
}
