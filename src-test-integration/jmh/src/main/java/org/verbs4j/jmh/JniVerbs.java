package org.verbs4j.jmh;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The data path through JNI in the manner of DiSNI: methods of a dispatcher object, addresses as
 * {@code long}, requests laid out in native memory by Java, failures thrown by C. Only for
 * comparison.
 */
final class JniVerbs {
    static void load(Path library) {
        System.load(library.toString());
    }

    native void postSend(long queuePair, long request) throws IOException;

    native void postReceive(long queuePair, long request) throws IOException;

    native int poll(long queue, int count, long completions) throws IOException;

    native int requestNotification(long queue) throws IOException;
}
