/**
 * Connections by IP address: {@code librdmacm}.
 *
 * <p>{@link org.verbs4j.cm.Connector} and {@link org.verbs4j.cm.Listener} make a {@link
 * org.verbs4j.cm.Connection} in a few lines, and each of their waits ends. Below them, {@link
 * org.verbs4j.cm.EventChannel} and {@link org.verbs4j.cm.ConnectionId} are every step of the C
 * library's state machine, for programs with an event loop of their own.
 */
package org.verbs4j.cm;
