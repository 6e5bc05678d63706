package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrnoTest {
    @Test
    void aKnownNumberHasANameAndAText() {
        assertThat(Errno.describe(22)).isEqualTo("EINVAL (Invalid argument)");
        assertThat(Errno.describe(95)).isEqualTo("EOPNOTSUPP (Operation not supported)");
        assertThat(Errno.name(12)).contains("ENOMEM");
        assertThat(Errno.describe(524)).startsWith("ENOTSUPP (not supported");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -22, 4711, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void anUnknownNumberStaysANumber(int errno) {
        assertThat(Errno.name(errno)).isEmpty();
        assertThat(Errno.describe(errno)).isEqualTo("errno " + errno);
    }

    @Test
    void everyErrorOfLinuxIsKnown() {
        // 41 and 58 are the holes in Linux's numbering.
        for (int errno = 1; errno <= Posix.EHWPOISON(); errno++) {
            if (errno != 41 && errno != 58) {
                assertThat(Errno.describe(errno))
                        .matches("E[A-Z0-9]+ \\(.+\\)")
                        .doesNotContain("Unknown");
            }
        }
    }

    @Test
    void constantsThatOnlyBeginWithEAreNoErrors() {
        assertThat(Errno.name(Posix.EFD_CLOEXEC())).isEmpty();
        assertThat(Errno.name(Posix.EFD_NONBLOCK())).isEmpty();
    }
}
