package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What the command line comes to, by the rules of perftest 4.5. */
class PerfOptionsTest {
    private static PerfPlan plan(PerfTool tool, String... args) {
        CommandLine line = new CommandLine(tool).setOverwrittenOptionsAllowed(true);
        line.parseArgs(args);
        return PerfPlan.of(tool.options(), line.getCommandSpec());
    }

    @Test
    void theDefaultsAreThoseOfTheCTools() {
        PerfPlan latency = plan(new SendLat());
        assertThat(latency.size()).isEqualTo(2);
        assertThat(latency.iterations()).isEqualTo(1000);
        assertThat(latency.sendDepth()).isEqualTo(1);
        assertThat(latency.receiveDepth()).isEqualTo(512);
        assertThat(latency.moderation()).isEqualTo(1);

        PerfPlan bandwidth = plan(new WriteBw(), "host");
        assertThat(bandwidth.size()).isEqualTo(65_536);
        assertThat(bandwidth.iterations()).isEqualTo(5000);
        assertThat(bandwidth.sendDepth()).isEqualTo(128);
        assertThat(bandwidth.moderation()).isEqualTo(1);
        assertThat(bandwidth.peak()).isTrue();

        assertThat(plan(new AtomicBw()).size()).isEqualTo(8);
        assertThat(plan(new ReadBw()).iterations()).isEqualTo(1000);
    }

    @Test
    void theOptionsDependOnEachOtherAsInC() {
        assertThat(plan(new SendBw(), "-s", "1K").moderation()).isEqualTo(100);
        assertThat(plan(new SendBw(), "-s", "1K", "-t", "16").moderation()).isEqualTo(16);
        assertThat(plan(new SendBw(), "-n", "50").sendDepth()).isEqualTo(50);
        assertThat(plan(new SendBw(), "-n", "55").receiveDepth()).isEqualTo(56);
        assertThat(plan(new SendLat(), "-c", "UD", "-n", "20000").receiveDepth()).isEqualTo(16_000);
        assertThat(plan(new WriteBw(), "-l", "10").moderation()).isEqualTo(10);
        assertThat(plan(new WriteBw(), "-n", "20001").peak()).isFalse();
        assertThat(plan(new SendBw()).peak()).as("a server that receives").isFalse();
        assertThat(plan(new SendLat(), "-a").sizes()).hasSize(23).contains(2L, 8_388_608L);
        assertThat(plan(new SendLat(), "-D", "10").margin()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "atomic-lat -s 16 | Unknown option",
                "atomic-bw -a | Unknown option",
                "write-lat -e | Unknown option",
                "read-lat -c UC | Unknown option",
                "read-bw -I 64 | Unknown option",
                "send-lat -b | Unknown option",
                "send-lat -q 2 | Unknown option",
                "write-bw -r 10 | Unknown option",
                "send-bw --plot x | Unknown option",
                "send-lat -A CMP_AND_SWAP | Unknown option",
                "send-lat -c DC | DC",
                "send-lat -n 4 | 4 is not in 5..100000000",
                "send-lat -s 5G | '5G' is not a number",
                "send-lat -s 4096M | is not in 1..2047",
                "send-lat -m 1500 | 1500 is not one of",
                "send-lat -I 913 | 913 is not in 0..912",
                "send-lat -D 2 -e | -D does not go with -e",
                "send-lat -D 2 -a | -D does not go with -a",
                "send-lat -D 2 --plot x | -D measures an average only",
                "send-lat -D 2 -f 1 | -D has to be more than twice -f",
                "send-lat -f 1 | -f goes with -D only",
                "write-lat -c UD | datagrams cannot write",
                "write-bw -l 3 | -n has to be a multiple of -l",
                "write-bw -l 4 -Q 3 | -l has to be a multiple of -Q",
                "write-bw -l 200 | -l must not be more than -t",
                "send-lat -R -c UC | -R does not go with -c UC: rdma_cm has no unreliable",
                "read-lat --json x | the server measures nothing",
                "send-lat a b | Unmatched argument",
            })
    void aWrongCallIsMisuse(String line, String sentence) {
        StringWriter err = new StringWriter();
        int status =
                Main.run(
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err, true),
                        line.split(" "));

        assertThat(err.toString())
                .startsWith(List.of(line.split(" ")).getFirst() + ": ")
                .contains(sentence)
                .doesNotContain("Exception");
        assertThat(status).isEqualTo(Main.MISUSED);
    }

    @Test
    void eachToolHasItsOwnOptionsOnly() {
        assertThat(new CommandLine(new SendLat()).getUsageMessage())
                .contains("--plot", "--rx-depth", "--connection")
                .doesNotContain("--bidirectional", "--report_gbits", "--atomic_type", "--outs");
        assertThat(new CommandLine(new AtomicBw()).getUsageMessage())
                .contains("--bidirectional", "--report_gbits", "--atomic_type", "--outs")
                .doesNotContain("--plot", "--rx-depth", "--size", "--connection");
    }
}
