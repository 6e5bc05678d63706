package org.verbs4j;

import java.io.Serializable;

/**
 * How a request failed. A value.
 *
 * @param wrId the number that the request was given
 * @param status how it failed
 * @param statusCode the number of {@code enum ibv_wc_status}
 * @param vendorError the vendor's error number, 0 when there is none
 */
public record WorkFailure(long wrId, WorkStatus status, int statusCode, int vendorError)
        implements Serializable {
    @Override
    public String toString() {
        return "request "
                + wrId
                + " with "
                + status
                + " (status "
                + statusCode
                + ", vendor error 0x"
                + Integer.toHexString(vendorError)
                + ")";
    }
}
