package org.verbs4j.jmh;

import java.nio.file.Path;

/**
 * The data path through JNI in the manner of DiSNI: addresses as {@code long}, requests laid out in
 * native memory by Java. Only for comparison.
 */
final class JniVerbs {
    private JniVerbs() {}

    static void load(Path library) {
        System.load(library.toString());
    }

    static native int postSend(long queuePair, long request);

    static native int postReceive(long queuePair, long request);

    static native int poll(long queue, int count, long completions);

    static native int requestNotification(long queue);
}
