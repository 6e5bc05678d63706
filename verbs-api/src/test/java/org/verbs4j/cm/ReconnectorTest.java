package org.verbs4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.bindings.Posix;

import java.time.Duration;

class ReconnectorTest {
    private final ConnectionException refused =
            new ConnectionException("rdma_connect", Posix.ECONNREFUSED(), "nobody listens", null);
    private final ConnectionException late =
            Diagnosis.late("rdma_connect", Duration.ZERO, null, "does it listen?");

    @Test
    void theFailureBeforeIsToldWhenTheEndCutsAnAttemptShort() {
        assertThat(Reconnector.telling(refused, late)).isSameAs(refused);
    }

    @Test
    void theLastFailureIsToldOtherwise() {
        assertThat(Reconnector.telling(late, refused)).isSameAs(refused);
        assertThat(Reconnector.telling(null, late)).isSameAs(late);
    }
}
