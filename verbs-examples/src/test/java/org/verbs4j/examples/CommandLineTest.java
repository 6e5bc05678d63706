package org.verbs4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.verbs4j.Mtu;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

class CommandLineTest {
    /** What one call of the jar comes to. */
    private record Outcome(int status, String out, String err) {}

    private static Outcome run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
        return new Outcome(status, out.toString(), err.toString());
    }

    private static ConnectedPingPongOptions parse(String... args) {
        ConnectedPingPongOptions options = new ConnectedPingPongOptions();
        new CommandLine(options)
                .setAbbreviatedOptionsAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .parseArgs(args);
        return options;
    }

    @Test
    void theDefaultsAreThoseOfTheCTool() {
        ConnectedPingPongOptions options = parse();

        assertThat(options.tcpPort).isEqualTo(18515);
        assertThat(options.device).isNull();
        assertThat(options.devicePort).isEqualTo(1);
        assertThat(options.size).isEqualTo(4096);
        assertThat(options.mtu).isEqualTo(Mtu.BYTES_1024);
        assertThat(options.receiveDepth).isEqualTo(500);
        assertThat(options.iterations).isEqualTo(1000);
        assertThat(options.serviceLevel).isZero();
        assertThat(options.events).isFalse();
        assertThat(options.gidIndex).isEqualTo(-1);
        assertThat(options.validate).isFalse();
        assertThat(options.host).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-p 18516 -d rxe1 -i 2 -s 65536 -m 2048 -r 10 -n 7 -l 3 -e -g 1 -c node7",
                "-p18516 -drxe1 -i2 -s0x10000 -m2048 -r012 -n7 -l3 -ecg1 node7",
                "--port=18516 --ib-dev=rxe1 --ib-port=2 --size=65536 --mtu=2048 --rx-depth=10"
                        + " --iters=7 --sl=3 --events --gid-idx=1 --chk node7",
                "node7 --port 18516 --ib-d rxe1 --ib-p 2 --si 65536 --mtu 2048 --rx 10 --iters 7"
                        + " --sl 3 --ev --gid 1 --chk",
                "-p 1 -p 18516 -d rxe1 -i 2 -s 1 -s 65536 -m 256 -m 2048 -r 10 -n 7 -l 3 -e -g 0 -g"
                        + " 1 -c node7",
            })
    void takesEveryFlagTheWayGetoptDoes(String line) {
        ConnectedPingPongOptions options = parse(line.split(" "));

        assertThat(options.tcpPort).isEqualTo(18516);
        assertThat(options.device).isEqualTo("rxe1");
        assertThat(options.devicePort).isEqualTo(2);
        assertThat(options.size).isEqualTo(65536);
        assertThat(options.mtu).isEqualTo(Mtu.BYTES_2048);
        assertThat(options.receiveDepth).isEqualTo(10);
        assertThat(options.iterations).isEqualTo(7);
        assertThat(options.serviceLevel).isEqualTo(3);
        assertThat(options.events).isTrue();
        assertThat(options.gidIndex).isEqualTo(1);
        assertThat(options.validate).isTrue();
        assertThat(options.host).isEqualTo("node7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "-p 65536         | 65536 is not in 1..65535",
                "-p ssh           | 'ssh' is not a number",
                "-i 0             | 0 is not in 1..255",
                "-s 0             | 0 is not in 1..4294967295",
                "-s 4294967296    | 4294967296 is not in 1..4294967295",
                "-m 1500          | 1500 is not one of 256, 512, 1024, 2048, 4096",
                "-r 0             | 0 is not in 1..2147483647",
                "-n -5            | -5 is not in 1..2147483647",
                "-n 2147483648    | 2147483648 is not in 1..2147483647",
                "-l 16            | 16 is not in 0..15",
                "-g -2            | -2 is not in -1..65535",
                "-x               | Unknown option: '-x'",
                "--size           | Missing required parameter for option '--size'",
                "node7 node8      | Unmatched argument at index",
            })
    void aWrongCallIsOneSentenceAndStatus2(String line, String sentence) {
        Outcome outcome = run(("rc-pingpong " + line).split(" "));

        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .startsWith("rc-pingpong: ")
                .contains(sentence)
                .doesNotContain("Exception");
        assertThat(outcome.err().lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("rc-pingpong --help");
    }

    @ParameterizedTest
    @CsvSource({
        "-P, prefetch is valid only with on-demand memory region",
        "--prefetch -N -t, prefetch is valid only with on-demand memory region",
        "-o -j, DM memory region can't be on demand",
        "--iodp --dm --new_send --ts, DM memory region can't be on demand",
    })
    void optionsThatExcludeEachOtherAreSaidInTheWordsOfC(String options, String line) {
        Outcome outcome = run(("rc-pingpong " + options).split(" "));

        assertThat(outcome).isEqualTo(new Outcome(1, "", line + "\n"));
    }

    @Test
    void aCommandOfAToolIsNamedWithIt() {
        assertThat(run("kv-client", "host", "get").err())
                .startsWith("kv-client get: Missing required parameter: '<key>'\n")
                .contains("Try `kv-client get --help`.");
        assertThat(run("kv-client", "host").err())
                .startsWith("kv-client: which command? One of: get, put, delete, add, bench\n");
        assertThat(run("kv-client", "host").status()).isEqualTo(2);
        assertThat(run("kv-client", "host", "add", "n", "many").status()).isEqualTo(2);
        assertThat(run("kv-client").status()).isEqualTo(2);
        assertThat(run("file-send", "host").status()).isEqualTo(2);
        assertThat(run("file-send", "host").err()).startsWith("file-send: ").contains("<file>");
    }

    @Test
    void noToolOrAnUnknownOneIsMisuse() {
        assertThat(run().status()).isEqualTo(2);
        assertThat(run().err())
                .startsWith(
                        "verbs4j-examples: which tool? One of: rc-pingpong, uc-pingpong,"
                                + " ud-pingpong, srq-pingpong, xsrq-pingpong, rping, rdma-server,"
                                + " rdma-client, udaddy, mckey, send-lat, write-lat, read-lat,"
                                + " atomic-lat, send-bw, write-bw, read-bw, atomic-bw, kv-server,"
                                + " kv-client, file-send, file-receive, devices, devinfo,"
                                + " asyncwatch, doctor, completion\n");
        assertThat(run("rc-pingpnog").status()).isEqualTo(2);
        assertThat(run("rc-pingpnog").err())
                .startsWith("verbs4j-examples: ")
                .contains("rc-pingpong");
    }

    @Test
    void helpAndVersionAreEverywhere() {
        for (String[] call : new String[][] {{"--help"}, {"rc-pingpong", "--help"}}) {
            assertThat(run(call).status()).isZero();
            assertThat(run(call).out()).startsWith("Usage: ").contains("rc-pingpong");
            assertThat(run(call).err()).isEmpty();
        }
        for (String[] call : new String[][] {{"--version"}, {"rc-pingpong", "--version"}}) {
            assertThat(run(call).status()).isZero();
            assertThat(run(call).out()).startsWith("verbs4j-examples ");
        }
    }

    @Test
    void everyToolHelpsByBothNamesOfHelp() {
        for (String tool : new CommandLine(new Main()).getSubcommands().keySet()) {
            for (String help : new String[] {"-h", "--help"}) {
                assertThat(run(tool, help).status()).as(tool + " " + help).isZero();
                assertThat(run(tool, help).out()).startsWith("Usage: verbs4j-examples " + tool);
            }
            assertThat(run(tool, "--version").out()).as(tool).startsWith("verbs4j-examples ");
        }
    }

    @Test
    void anEmptyArgumentIsMisuseInOneSentence() {
        StringWriter err = new StringWriter();
        int status =
                Main.run(
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err),
                        "rc-pingpong",
                        "");
        assertThat(status).isEqualTo(Main.MISUSED);
        assertThat(err.toString()).startsWith("rc-pingpong: an argument is empty");
    }
}
