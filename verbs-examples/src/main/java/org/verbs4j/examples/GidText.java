package org.verbs4j.examples;

import org.verbs4j.Gid;

/**
 * A GID as {@code inet_ntop(AF_INET6)} of glibc writes it, which is what the C tools print: {@code
 * fe80::5054:ff:fe12:3456}, {@code ::ffff:10.77.0.1}. {@link java.net.Inet6Address} cannot: it
 * never shortens, and it turns a mapped address into an IPv4 one.
 */
final class GidText {
    private static final int WORDS = 8;

    private GidText() {}

    static String of(Gid gid) {
        int[] words = words(gid);

        // The first of the longest runs of zero words, two at least, becomes "::".
        int gap = -1;
        int gapLength = 1;
        for (int i = 0; i < WORDS; i++) {
            int run = 0;
            while (i + run < WORDS && words[i + run] == 0) {
                run++;
            }
            if (run > gapLength) {
                gap = i;
                gapLength = run;
            }
        }
        int gapEnd = gap < 0 ? -1 : gap + gapLength;

        // An IPv4-mapped address keeps its dots, and so does the older "compatible" one.
        boolean dotted = gap == 0 && (gapLength == 6 || (gapLength == 5 && words[5] == 0xffff));

        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < WORDS; i++) {
            if (i >= gap && i < gapEnd) {
                text.append(i == gap ? ":" : "");
                continue;
            }
            text.append(i > 0 ? ":" : "");
            if (i == 6 && dotted) {
                text.append(dotted(words[6], words[7]));
                break;
            }
            text.append(Integer.toHexString(words[i]));
        }
        return text.append(gapEnd == WORDS ? ":" : "").toString();
    }

    private static int[] words(Gid gid) {
        int[] words = new int[WORDS];
        for (int i = 0; i < WORDS; i++) {
            long half = i < WORDS / 2 ? gid.subnetPrefix() : gid.interfaceId();
            words[i] = (int) (half >>> (48 - 16 * (i % 4))) & 0xffff;
        }
        return words;
    }

    private static String dotted(int high, int low) {
        return (high >> 8) + "." + (high & 0xff) + "." + (low >> 8) + "." + (low & 0xff);
    }
}
