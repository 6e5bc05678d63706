package org.verbs4j.examples.kv;

import org.verbs4j.DeviceContext;
import org.verbs4j.cm.ConnectionRequest;
import org.verbs4j.cm.Listener;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Serves a {@link Store} to any number of clients. Its threads sleep unless somebody comes, goes or
 * sends a message: one takes connections, one a device takes messages, and one a client waits for
 * its end.
 *
 * <p>One thread serves; any other may {@link #close()}.
 */
public final class StoreServer implements AutoCloseable {
    private static final long END_LIMIT_SECONDS = 10;

    private final Store store;
    private final Listener listener;
    private final Consumer<String> log;

    /** By device, on which a client may come in. Of the serving thread. */
    private final Map<DeviceContext, StorePort> ports = new HashMap<>();

    /** Not virtual ones: somebody has to look for those that wait, every 2 ms. */
    private final ExecutorService clients =
            Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());

    /**
     * A server that listens already.
     *
     * @param address where; port 0 chooses a free one
     * @param shape of the table of values
     * @param counters how many counters there is room for, a power of two
     * @param log told in a line who comes and goes, by any thread
     */
    public StoreServer(
            InetSocketAddress address, TableShape shape, int counters, Consumer<String> log) {
        this.log = log;
        store = new Store(shape, counters);
        try {
            listener = Listener.at(address).bind();
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return listener.localAddress();
    }

    /** Bytes that each device gets to know. */
    public long byteSize() {
        return store.values().shape().byteSize() + store.counters().shape().byteSize();
    }

    /**
     * Serves until it is interrupted.
     *
     * @throws IllegalStateException when it is closed
     */
    public void serve() throws InterruptedException {
        while (true) {
            ConnectionRequest request = listener.accept();
            if (Offer.isGreeting(request.privateData())) {
                StorePort port = ports.computeIfAbsent(request.context(), this::newPort);
                clients.execute(() -> port.serve(request));
            } else {
                log.accept("refused " + request + ", which is not a kv-client of this version");
                request.reject(text("this is a kv-server of another version"));
            }
        }
    }

    private StorePort newPort(DeviceContext context) {
        return new StorePort(context, store, log);
    }

    private static ByteBuffer text(String reason) {
        return ByteBuffer.wrap(reason.getBytes(StandardCharsets.US_ASCII));
    }

    /** Ends all connections and frees the tables, when nobody is serving any more. */
    @Override
    public void close() {
        listener.close();
        clients.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            if (!clients.awaitTermination(END_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("clients are still being served");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        ports.values().forEach(StorePort::close);
        store.close();
    }
}
