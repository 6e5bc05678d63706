package org.verbs4j;

/**
 * Enhanced connection establishment, {@code struct ibv_ece}: what two devices of one vendor can do
 * beyond the standard. Each vendor gives the options a meaning of its own.
 *
 * @param vendorId the vendor's IEEE identifier, not 0
 * @param options the vendor's bits
 */
public record Ece(int vendorId, int options) {}
