package org.verbs4j.jmh;

import java.util.function.Supplier;

/**
 * Which calls the API makes critical, whatever the provider: its system property, as it is when a
 * context is opened.
 */
enum CallPolicy {
    /** As on a provider that stays in user space. */
    CRITICAL("always"),
    /** As on a provider whose post enters the kernel. */
    PLAIN_POST("poll");

    private static final String PROPERTY = "org.verbs4j.critical";

    private final String value;

    CallPolicy(String value) {
        this.value = value;
    }

    <T> T open(Supplier<T> opener) {
        String before = System.setProperty(PROPERTY, value);
        try {
            return opener.get();
        } finally {
            if (before == null) {
                System.clearProperty(PROPERTY);
            } else {
                System.setProperty(PROPERTY, before);
            }
        }
    }
}
