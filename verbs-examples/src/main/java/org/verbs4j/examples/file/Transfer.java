package org.verbs4j.examples.file;

/**
 * What became of a file.
 *
 * @param name that it has on the receiver
 * @param bytes of it
 * @param nanos from the first word to the last
 * @param sum the checksum, CRC-32C
 * @param isMapped whether this side's device worked on the pages of the file
 */
public record Transfer(String name, long bytes, long nanos, long sum, boolean isMapped) {
    /** Told how far a transfer is. */
    public interface Progress {
        /**
         * Called often: by each chunk.
         *
         * @param done bytes
         * @param all bytes
         */
        void at(long done, long all);
    }
}
