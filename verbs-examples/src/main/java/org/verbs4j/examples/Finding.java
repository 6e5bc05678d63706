package org.verbs4j.examples;

/**
 * What one check of {@link Doctor} came to.
 *
 * @param level how bad it is
 * @param check what was looked at, a word or two
 * @param found a sentence about it
 * @param advice what to do about it, empty when nothing needs to be done
 */
record Finding(Level level, String check, String found, String advice) {
    /** How bad a finding is. */
    enum Level {
        /** As it should be. */
        OK("ok"),
        /** Could be better, or is worth knowing. */
        NOTE("note"),
        /** Something will be slow, or fail sooner or later. */
        WARNING("warning"),
        /** RDMA does not work. */
        BLOCKS("BLOCKS");

        private final String text;

        Level(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    static Finding ok(String check, String found) {
        return new Finding(Level.OK, check, found, "");
    }

    static Finding note(String check, String found, String advice) {
        return new Finding(Level.NOTE, check, found, advice);
    }

    static Finding warning(String check, String found, String advice) {
        return new Finding(Level.WARNING, check, found, advice);
    }

    static Finding blocks(String check, String found, String advice) {
        return new Finding(Level.BLOCKS, check, found, advice);
    }

    boolean isBlocking() {
        return level == Level.BLOCKS;
    }

    /** As JSON, with everything as a string. */
    String toJson() {
        return "{\"level\":%s,\"check\":%s,\"found\":%s,\"advice\":%s}"
                .formatted(
                        Json.quoted(level.name()),
                        Json.quoted(check),
                        Json.quoted(found),
                        Json.quoted(advice));
    }
}
