package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files that go from one process into another, and those that do not arrive. */
class FileTransferIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** What the tools promise. */
    private static final Duration LOST_LIMIT = Duration.ofSeconds(10);

    private static final String HOST = CmPlace.addresses().getFirst().getHostAddress();
    private static final int MIB = 1 << 20;

    private final String port = String.valueOf(ThreadLocalRandom.current().nextInt(20_000, 60_000));

    @TempDir Path place;
    private Path file;
    private Path target;

    @BeforeEach
    void makeDirectories() throws IOException {
        file = Files.createDirectory(place.resolve("from")).resolve("some file");
        target = Files.createDirectory(place.resolve("to"));
    }

    private void write(long size) throws IOException {
        byte[] bytes = new byte[(int) Math.min(size, MIB)];
        Random random = new Random(size);
        Files.write(file, new byte[0]);
        for (long left = size; left > 0; left -= bytes.length) {
            random.nextBytes(bytes);
            int length = (int) Math.min(left, bytes.length);
            Files.write(
                    file,
                    length == bytes.length ? bytes : Arrays.copyOf(bytes, length),
                    StandardOpenOption.APPEND);
        }
    }

    private ToolRun receive(String... options) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of("file-receive", "-p", port));
        all.addAll(List.of(options));
        all.add(target.toString());
        ToolRun tool = ToolRun.inProcess(all.toArray(String[]::new));
        awaitOutput(tool, "waiting on ");
        return tool;
    }

    private String[] sending(String... options) {
        List<String> all = new ArrayList<>(List.of("file-send", "-p", port));
        all.addAll(List.of(options));
        all.addAll(List.of(HOST, file.toString()));
        return all.toArray(String[]::new);
    }

    private ToolRun send(String... options) {
        return ToolRun.inProcess(sending(options));
    }

    private static void awaitOutput(ToolRun tool, String text) throws InterruptedException {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (!tool.outSoFar().contains(text)) {
            assertThat(tool.hasEnded()).as("%s ended early", tool).isFalse();
            assertThat(System.nanoTime()).as("%s says %s", tool, text).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    /** Nothing but what the names say is there: no half of a file under whatever name. */
    private void assertReceived(String... names) throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(names);
        }
    }

    private static void assertSentence(ToolRun.Outcome outcome, String... parts) {
        assertThat(outcome.err()).contains(parts).doesNotContain("\tat ");
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.status()).isEqualTo(1);
    }

    /** The parts are small, so that even files of a guest have many. */
    @ParameterizedTest
    @CsvSource({
        "0, 65536, 65536",
        "1, 65536, 65536",
        "4095, 65536, 65536",
        "4096, 65536, 65536",
        "65536, 65536, 65536",
        "65537, 65536, 65536",
        "10000001, 65536, 262144",
        "10000001, 1048576, 65536",
        "40000000, 33554432, 33554432",
    })
    void aFileArrivesAsItIs(long size, String sendPart, String receivePart) throws Exception {
        write(size);
        try (ToolRun receiver = receive("--part", receivePart);
                ToolRun sender = send("--part", sendPart)) {
            ToolRun.Outcome sent = sender.await(LIMIT);
            ToolRun.Outcome received = receiver.await(LIMIT);
            assertThat(sent.err()).isEmpty();
            assertThat(received.err()).isEmpty();
            assertThat(sent.status()).isZero();
            assertThat(received.status()).isZero();
            assertThat(Files.mismatch(file, target.resolve("some file"))).isEqualTo(-1);
            assertThat(sum(sent, "sent some file: " + size))
                    .isEqualTo(sum(received, "received " + target.resolve("some file")));
        }
        assertReceived("some file");
    }

    private static String sum(ToolRun.Outcome outcome, String start) {
        String last = outcome.out().lines().toList().getLast();
        assertThat(last).startsWith(start);
        Matcher sum = Pattern.compile("CRC-32C (\\p{XDigit}{8}), ").matcher(last);
        assertThat(sum.find()).as(last).isTrue();
        return sum.group(1);
    }

    @Test
    void aFileThatMayOnlyBeReadIsSentAndStaysAsItWas() throws Exception {
        write(300_000);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        FileTime before = Files.getLastModifiedTime(file);
        try (ToolRun receiver = receive();
                ToolRun sender = send()) {
            assertThat(sender.await(LIMIT).status()).as(sender.await(LIMIT).err()).isZero();
            assertThat(receiver.await(LIMIT).status()).isZero();
        }
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(before);
        assertThat(Files.mismatch(file, target.resolve("some file"))).isEqualTo(-1);
    }

    /** On what is memory itself, the device works on the files' own pages on both sides. */
    @Test
    void nothingIsCopiedWhereTheKernelLendsOutMappings() throws Exception {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "verbs4j");
        try {
            file = memory.resolve("in memory");
            target = Files.createDirectory(memory.resolve("to"));
            write(5_000_000);
            try (ToolRun receiver = receive();
                    ToolRun sender = send()) {
                ToolRun.Outcome sent = sender.await(LIMIT);
                ToolRun.Outcome received = receiver.await(LIMIT);
                assertThat(sent.err()).isEmpty();
                assertThat(received.out()).endsWith(", mapped\n");
                if (TestPlace.kernelIsSince(6, 2)) {
                    assertThat(sent.out()).endsWith(", mapped\n");
                }
            }
            assertThat(Files.mismatch(file, target.resolve("in memory"))).isEqualTo(-1);
        } finally {
            deleteAll(memory);
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Test
    void whatIsThereIsNotReplacedUnlessAskedTo() throws Exception {
        write(100_000);
        Path there = target.resolve("some file");
        Files.writeString(there, "precious");
        try (ToolRun receiver = receive();
                ToolRun sender = send()) {
            String sentence = there + " exists already: receive it with --force, or elsewhere";
            assertSentence(
                    sender.await(LIMIT), "file-send: the receiver ", " gave up: " + sentence);
            assertSentence(receiver.await(LIMIT), "file-receive: " + sentence);
        }
        assertThat(there).hasContent("precious");
        assertReceived("some file");

        try (ToolRun receiver = receive("--force");
                ToolRun sender = send()) {
            assertThat(sender.await(LIMIT).status()).isZero();
            assertThat(receiver.await(LIMIT).status()).isZero();
        }
        assertThat(Files.mismatch(file, there)).isEqualTo(-1);
        assertReceived("some file");
    }

    @Test
    void moreThanThereIsRoomForIsRefusedBeforeItBegins() throws Exception {
        write(0);
        long huge = 1L << 42;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), huge - 1); // sparse
        } catch (IOException e) {
            Assumptions.abort("no file so large here: " + e);
        }
        try (ToolRun receiver = receive();
                ToolRun sender = send()) {
            assertSentence(sender.await(LIMIT), "gave up: no space for " + huge + " bytes in ");
            assertSentence(receiver.await(LIMIT), "file-receive: no space for " + huge);
        }
        assertReceived();
    }

    /** The limit is that of one file's length; a disk that fills up meanwhile ends the same way. */
    @Test
    void aFileThatCannotBecomeSoLongEndsForBothAndLeavesNothing() throws Exception {
        write(3 * MIB);
        String[] limited = {"prlimit", "--fsize=" + MIB + ":" + MIB};
        try (ToolRun receiver =
                ToolRun.jarUnder(
                        limited,
                        "file-receive",
                        "-p",
                        port,
                        "--part",
                        "65536",
                        target.toString())) {
            awaitOutput(receiver, "waiting on ");
            try (ToolRun sender = send()) {
                assertSentence(
                        sender.await(LIMIT), "file-send: ", "gave up: cannot write: File too");
                assertSentence(receiver.await(LIMIT), "file-receive: cannot write: File too");
            }
        }
        assertReceived();
    }

    @Test
    void aPlaceThatTakesNoFilesIsNamed() throws Exception {
        write(0);
        target = Path.of("/sys");
        try (ToolRun receiver = receive();
                ToolRun sender = send()) {
            assertSentence(sender.await(LIMIT), "file-send: ", "gave up: cannot write: ");
            assertSentence(receiver.await(LIMIT), "file-receive: cannot write: ");
        }
    }

    @Test
    void aSenderThatIsKilledLeavesNothingBehind() throws Exception {
        write(200 * MIB);
        try (ToolRun receiver = receive();
                ToolRun sender = ToolRun.jar(sending())) {
            awaitPart();
            sender.kill();
            ToolRun.Outcome outcome = receiver.await(LOST_LIMIT);
            assertSentence(outcome, "file-receive: the sender ", " has gone");
        }
        assertReceived();
    }

    @Test
    void aReceiverThatIsKilledIsMissedAndLeavesNothingUnderTheName() throws Exception {
        write(200 * MIB);
        try (ToolRun receiver = ToolRun.jar("file-receive", "-p", port, target.toString())) {
            awaitOutput(receiver, "waiting on ");
            try (ToolRun sender = send()) {
                awaitPart();
                receiver.kill();
                ToolRun.Outcome outcome = sender.await(LOST_LIMIT);
                assertSentence(
                        outcome, "file-send: the receiver " + HOST + ":" + port + " has gone");
            }
        }
        assertThat(target.resolve("some file")).doesNotExist();
    }

    private void awaitPart() throws Exception {
        long deadline = System.nanoTime() + TestPlace.limit(LIMIT).toNanos();
        while (true) {
            try (Stream<Path> files = Files.list(target)) {
                if (files.anyMatch(FileTransferIT::isBegun)) {
                    return;
                }
            }
            assertThat(System.nanoTime()).as("nothing is being received").isLessThan(deadline);
            Thread.sleep(5);
        }
    }

    private static boolean isBegun(Path path) {
        try {
            return path.toString().endsWith(".part") && Files.size(path) > 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The receiver goes on where it is told to keep on. */
    @Test
    void oneReceiverTakesManyFiles() throws Exception {
        try (ToolRun receiver = receive("--keep")) {
            for (int i = 0; i < 3; i++) {
                file = file.resolveSibling("file" + i);
                write(70_000 + i);
                try (ToolRun sender = send()) {
                    assertThat(sender.await(LIMIT).status()).as(sender.await(LIMIT).err()).isZero();
                }
                try (ToolRun again = send()) {
                    assertSentence(again.await(LIMIT), "exists already");
                }
            }
            assertThat(receiver.hasEnded()).isFalse();
        }
        assertReceived("file0", "file1", "file2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing here", "."})
    void whatIsNoFileIsNotSent(String name) throws Exception {
        file = place.resolve(name);
        try (ToolRun sender = send()) {
            assertSentence(sender.await(LIMIT), "file-send: " + file);
        }
    }

    @Test
    void withoutAReceiverNobodyListens() throws Exception {
        write(10);
        try (ToolRun sender = send()) {
            assertSentence(sender.await(LIMIT), "file-send: ", "nobody listens");
        }
    }

    @Test
    void aStrangerIsRefused() throws Exception {
        try (ToolRun receiver = receive();
                ToolRun rping =
                        ToolRun.inProcess("rping", "-c", "-a", HOST, "-p", port, "-C", "1")) {
            assertSentence(receiver.await(LIMIT), "is not of a file-send of this version");
            assertThat(rping.await(LIMIT).status()).isEqualTo(1);
        }
        assertReceived();
    }

    @Test
    void aPlaceThatIsNoneIsRefused() throws Exception {
        target = place.resolve("nowhere");
        try (ToolRun receiver = ToolRun.inProcess("file-receive", "-p", port, target.toString())) {
            assertSentence(receiver.await(LIMIT), "file-receive: no such directory: " + target);
        }
    }

    /** The limit of locked memory holds for others than root; the parts become smaller then. */
    @Test
    void aFileLargerThanTheMemoryThatMayBeLockedArrives() throws Exception {
        write(3 * MIB);
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(
                file.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
        String[] limited = {
            "prlimit",
            "--memlock=" + MIB + ":" + MIB,
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "--inh-caps=-all"
        };
        try (ToolRun receiver = receive();
                ToolRun sender = ToolRun.jarUnder(limited, sending())) {
            ToolRun.Outcome sent = sender.await(LIMIT);
            assertThat(sent.status()).as(sent.err()).isZero();
            assertThat(receiver.await(LIMIT).status()).isZero();
        }
        assertThat(Files.mismatch(file, target.resolve("some file"))).isEqualTo(-1);
    }
}
