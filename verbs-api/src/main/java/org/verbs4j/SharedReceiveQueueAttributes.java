package org.verbs4j;

/**
 * What a shared receive queue can: {@code struct ibv_srq_attr}. A value.
 *
 * @param maxRequests receives that may be outstanding
 * @param maxSge parts of a receive
 * @param limit an event comes when fewer than so many receives are left; 0 when none is asked for,
 *     or it has come
 */
public record SharedReceiveQueueAttributes(int maxRequests, int maxSge, int limit) {}
