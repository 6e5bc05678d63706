package org.verbs4j.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The facts of the conformance table that a test holds the device to. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Holds {
    /** Their numbers in {@code conformance.txt}. */
    String[] value();
}
