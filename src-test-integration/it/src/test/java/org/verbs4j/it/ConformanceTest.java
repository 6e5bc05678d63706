package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The conformance table, as far as no device is needed to look at it. */
class ConformanceTest {
    private final Map<String, List<String>> holders = Conformance.holders();

    @Test
    void everyFactIsHeldByATestAndEveryTestHoldsAFact() {
        Set<String> facts = Conformance.facts().stream().map(Fact::id).collect(Collectors.toSet());
        assertThat(holders.keySet()).isEqualTo(facts);
    }

    @Test
    void theTableInTheRepositoryIsThatOfTheseFactsAndTests() throws IOException {
        List<String> rows =
                Files.readAllLines(ToolRun.repository().resolve(ConformanceTable.FILE)).stream()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| |"))
                        .toList();
        List<Fact> facts = Conformance.facts();
        assertThat(rows).as("run-device-suite --conformance makes it").hasSameSizeAs(facts);
        for (int i = 0; i < rows.size(); i++) {
            Fact fact = facts.get(i);
            assertThat(rows.get(i))
                    .startsWith(ConformanceTable.row(fact) + " |")
                    .endsWith("| " + ConformanceTable.held(fact, holders) + " |")
                    .doesNotContain("FAILED", "| not run |");
        }
    }
}
