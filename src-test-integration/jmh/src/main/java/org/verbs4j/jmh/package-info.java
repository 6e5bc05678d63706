/**
 * The measuring ground: Java against its C twins, interleaved in one JVM; and the report.
 *
 * <p>{@link org.verbs4j.jmh.Bench} runs everything, {@link org.verbs4j.jmh.Duel} is how ratios are
 * measured, {@link org.verbs4j.jmh.Gates} what they must not exceed.
 */
@org.jspecify.annotations.NullMarked
package org.verbs4j.jmh;
