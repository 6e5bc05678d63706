package org.verbs4j.it;

import java.net.InetSocketAddress;

/**
 * The way to an address that nobody answers for, until somebody does.
 *
 * @param <R> what looks for it
 */
abstract class UnansweredWay<R extends AutoCloseable> extends BlockingCall {
    static final InetSocketAddress DEAD = new InetSocketAddress(CmPlace.unusedNeighbour(), 7000);

    final R resolver;

    UnansweredWay(R resolver) {
        this.resolver = keep(resolver);
    }

    @Override
    void succeed() throws Exception {
        keep(Neighbour.appears(DEAD.getAddress()));
    }

    @Override
    void closeWaitedOn() throws Exception {
        resolver.close();
    }
}
