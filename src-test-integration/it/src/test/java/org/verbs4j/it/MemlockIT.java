package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.Access;
import org.verbs4j.DeviceContext;
import org.verbs4j.Devices;
import org.verbs4j.MemoryRegion;
import org.verbs4j.ProtectionDomain;
import org.verbs4j.VerbsException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The limit of locked memory, which holds for everybody but root. */
class MemlockIT {
    private static final int LIMIT = 256 << 10;

    /** Registers what fits, then what does not. */
    static final class Registering {
        private Registering() {}

        public static void main(String[] args) {
            try (DeviceContext context = Devices.first().open();
                    ProtectionDomain domain = context.newProtectionDomain()) {
                tell("too much", domain, 1 << 20);
                try (MemoryRegion first = domain.allocate(LIMIT / 2, Access.LOCAL_WRITE)) {
                    System.out.println("fits: " + first.length());
                    tell("together too much", domain, LIMIT);
                }
                domain.allocate(LIMIT / 2, Access.LOCAL_WRITE).close();
                System.out.println("fits again");
            }
        }

        private static void tell(String what, ProtectionDomain domain, int size) {
            try (MemoryRegion region = domain.allocate(size, Access.LOCAL_WRITE)) {
                System.out.println(what + ": registered " + region.length());
            } catch (VerbsException e) {
                System.out.println(what + ": " + e.getMessage());
            }
        }
    }

    @Test
    @Holds("13")
    void beyondTheLimitTheMessageStatesTheLimitAndTheNeed() throws InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "prlimit",
                                "--memlock=" + LIMIT + ":" + LIMIT,
                                "setpriv",
                                "--reuid=65534",
                                "--regid=65534",
                                "--clear-groups",
                                "--inh-caps=-all"));
        command.addAll(ToolRun.programCommand(Registering.class));
        try (ToolRun program = ToolRun.process(command)) {
            ToolRun.Outcome outcome = program.await(Duration.ofSeconds(60));
            assertThat(outcome.status()).as(outcome.err()).isZero();
            List<String> lines = outcome.out().lines().toList();
            assertThat(lines.get(0))
                    .startsWith("too much: ibv_reg_mr: ENOMEM")
                    .contains("locked memory is limited to " + LIMIT + " bytes (RLIMIT_MEMLOCK)")
                    .contains("this needs 1048576 bytes more")
                    .contains("ulimit -l unlimited");
            assertThat(lines.get(1)).isEqualTo("fits: " + LIMIT / 2);
            assertThat(lines.get(2)).startsWith("together too much: ibv_reg_mr: ENOMEM");
            assertThat(lines.get(3)).isEqualTo("fits again");
        }
    }
}
