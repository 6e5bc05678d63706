package org.verbs4j.it;

import org.verbs4j.cm.Connector;
import org.verbs4j.cm.DatagramConnector;
import org.verbs4j.cm.DatagramListener;
import org.verbs4j.cm.DatagramRequest;
import org.verbs4j.cm.Listener;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;

/** The waits of datagram services. */
final class DatagramCalls {
    private static final Duration LIMIT = CmPlace.limit(10);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private DatagramCalls() {}

    /** A request of a client. */
    static final class Accept extends BlockingCall {
        private final DatagramListener listener =
                keep(Listener.at(CmPlace.anyPort()).bindDatagrams());

        @Override
        Object await(Duration timeout) throws Exception {
            try (DatagramRequest request = listener.accept(timeout)) {
                return request == null ? "null" : "request";
            }
        }

        @Override
        void succeed() throws Exception {
            DatagramConnector connector =
                    keep(Connector.to(listener.localAddress()).resolveDatagrams(LIMIT));
            CmDatagramSide side = keep(new CmDatagramSide(connector.context()));
            Waiting.begin(false, () -> connector.connect(side.pair, NOTHING, LIMIT)).end();
        }

        @Override
        void closeWaitedOn() {
            listener.close();
        }
    }

    /** The way to a neighbour that does not answer, until it does. */
    static final class Resolve extends UnansweredWay<DatagramConnector> {
        Resolve() {
            super(Connector.to(DEAD).openDatagrams());
        }

        @Override
        Object await(Duration timeout) throws Exception {
            resolver.resolve(timeout);
            return "resolved";
        }
    }

    /** The answer of a server. */
    static final class Connect extends BlockingCall {
        private final DatagramListener listener =
                keep(Listener.at(CmPlace.anyPort()).bindDatagrams());
        private final DatagramConnector connector;
        private final CmDatagramSide side;

        Connect() throws InterruptedException {
            connector = keep(Connector.to(listener.localAddress()).resolveDatagrams(LIMIT));
            side = keep(new CmDatagramSide(connector.context()));
        }

        @Override
        Object await(Duration timeout) throws Exception {
            connector.connect(side.pair, NOTHING, timeout).close();
            return "connected";
        }

        private DatagramRequest request() throws InterruptedException {
            return keep(Objects.requireNonNull(listener.accept(LIMIT)));
        }

        @Override
        void succeed() throws Exception {
            CmDatagramSide server = keep(new CmDatagramSide(connector.context()));
            request().accept(server.pair, NOTHING);
        }

        @Override
        void fail() throws Exception {
            request().reject(CmPlace.bytes("no"));
        }

        @Override
        void closeWaitedOn() {
            connector.close();
        }
    }
}
