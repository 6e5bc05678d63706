package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.verbs4j.gcc.Forked;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** How the libraries are found, what is said when they are not, and whose errno is whose. */
class NativeLibrariesTest {
    private static final String NO_VERBS = "-Dorg.verbs4j.libibverbs=/nowhere/libibverbs.so.1";
    private static final String NO_RDMACM = "-Dorg.verbs4j.librdmacm=/nowhere/librdmacm.so.1";

    @TempDir Path directory = Path.of("");

    @Test
    void thePropertiesAreNamedAfterTheLibraries() {
        assertThat(NativeLibraries.LIBIBVERBS_PROPERTY).isEqualTo("org.verbs4j.libibverbs");
        assertThat(NativeLibraries.LIBRDMACM_PROPERTY).isEqualTo("org.verbs4j.librdmacm");
    }

    @Test
    void everyBoundFunctionIsExportedByTheLibraryItIsLookedUpIn() {
        Set<String> functions =
                GeneratedSources.included("includes-verbs.txt", "--include-function");
        Set<String> missing = new TreeSet<>(functions);
        missing.removeIf(function -> NativeLibraries.find(function).isPresent());

        System.out.printf("%d functions, %d missing%n", functions.size(), missing.size());
        assertThat(missing).isEmpty();
    }

    @Test
    void withoutLibibverbsConstantsAndLayoutsWorkAndEveryCallSaysWhatToInstall()
            throws IOException {
        List<String> lines = run(WithoutVerbs.class, NO_VERBS);

        String sentence =
                "cannot load /nowhere/libibverbs.so.1 (/nowhere/libibverbs.so.1: cannot open shared"
                        + " object file: No such file or directory): correct"
                        + " -Dorg.verbs4j.libibverbs, or omit it and install the packages"
                        + " libibverbs1 and ibverbs-providers (Debian, Ubuntu) or libibverbs"
                        + " (Fedora, RHEL)";
        String error = "UnsatisfiedLinkError: " + sentence;
        assertThat(lines)
                .containsExactly(
                        "IBV_QPS_RTS 3",
                        "sizeof ibv_send_wr 128",
                        "first call: " + error,
                        "call of another function: " + error,
                        // What the JVM makes of the second call; requireVerbs is there for that.
                        "same function again: NoClassDefFoundError",
                        "requireVerbs: " + error,
                        "requireVerbs again: " + error,
                        "requireRdmaCm: " + error,
                        "problem: " + sentence);
    }

    @Test
    void withoutAPropertyTheSentenceNamesIt() throws IOException {
        // A directory of libraries that are none, searched before the system's.
        Files.writeString(directory.resolve("libibverbs.so.1"), "not an object file");
        ProcessBuilder builder =
                new ProcessBuilder(Forked.javaCommand(WithoutVerbs.class, List.of()));
        builder.environment().put("LD_LIBRARY_PATH", directory.toString());

        assertThat(Forked.of(builder).orFail().out())
                .contains("cannot load libibverbs.so.1 (" + directory + "/libibverbs.so.1: ")
                .contains(", or name the file with -Dorg.verbs4j.libibverbs\n");
    }

    @Test
    void withoutLibrdmacmTheVerbsWork() throws IOException {
        List<String> lines = run(WithoutRdmaCm.class, NO_RDMACM);

        assertThat(lines.get(0)).isEqualTo("InfiniBand channel adapter");
        assertThat(lines.get(1))
                .startsWith("UnsatisfiedLinkError: cannot load /nowhere/librdmacm.so.1 (")
                .contains("install the package librdmacm1");
        assertThat(lines.get(2)).isEqualTo(lines.get(1));
        assertThat(lines.get(3)).isEqualTo("requireVerbs passes");
    }

    @Test
    void anOldLibraryHasItsOwnFunctionsAndLacksNewerOnes() throws IOException {
        Path old =
                FakeLibrary.compile(
                        directory,
                        """
                        const char *ibv_node_type_str(int type) { return "as it was in release 28"; }
                        """);

        List<String> lines = run(OldLibrary.class, property(old));

        assertThat(lines)
                .containsExactly(
                        "as it was in release 28",
                        "ibv_import_device: Optional.empty",
                        "UnsatisfiedLinkError: "
                                + old
                                + " has no ibv_import_device: the installed rdma-core is older than"
                                + " this function",
                        "requireVerbs passes");
    }

    @Test
    void librdmacmUsesTheLibibverbsThatThePropertyNames() throws IOException {
        Path installed = Path.of(run(MappedLibrary.class).getFirst());
        Path copy = Files.copy(installed, directory.resolve("libibverbs.so.1"));

        assertThat(run(MappedLibrary.class, property(copy))).containsExactly(copy.toString());
    }

    @Test
    void errnoBelongsToTheThreadThatMadeTheCall() throws IOException {
        Path library =
                FakeLibrary.compile(
                        directory,
                        """
                        #include <errno.h>
                        int ibv_close_device(void *error) { errno = (long)error; return -1; }
                        """);

        assertThat(run(ErrnoPerThread.class, property(library)))
                .containsExactly(
                        "same thread: 11, then 12, set 13",
                        "64 platform threads: 0 saw another's errno",
                        "1000 virtual threads: 0 saw another's errno");
    }

    private static String property(Path libibverbs) {
        return "-D" + NativeLibraries.LIBIBVERBS_PROPERTY + "=" + libibverbs;
    }

    private static List<String> run(Class<?> main, String... options) throws IOException {
        return Forked.java(main, List.of(options)).orFail().out().lines().toList();
    }

    /** What a call ends with, in one line. */
    private static String outcome(Runnable call) {
        try {
            call.run();
            return "passes";
        } catch (NoClassDefFoundError e) {
            return e.getClass().getSimpleName();
        } catch (LinkageError e) {
            return e.getClass().getSimpleName() + ": " + e.getMessage();
        }
    }

    // The programs below run in JVMs of their own, where nothing has been loaded yet.

    static final class WithoutVerbs {
        private WithoutVerbs() {}

        public static void main(String[] args) {
            System.out.println("IBV_QPS_RTS " + Verbs.IBV_QPS_RTS());
            System.out.println("sizeof ibv_send_wr " + ibv_send_wr.sizeof());
            System.out.println("first call: " + outcome(Verbs::ibv_fork_init));
            System.out.println(
                    "call of another function: "
                            + outcome(() -> Verbs.ibv_get_device_list(MemorySegment.NULL)));
            System.out.println("same function again: " + outcome(Verbs::ibv_fork_init));
            System.out.println("requireVerbs: " + outcome(NativeLibraries::requireVerbs));
            System.out.println("requireVerbs again: " + outcome(NativeLibraries::requireVerbs));
            System.out.println("requireRdmaCm: " + outcome(NativeLibraries::requireRdmaCm));
            System.out.println("problem: " + NativeLibraries.verbsProblem().orElse("none"));
        }
    }

    static final class WithoutRdmaCm {
        private WithoutRdmaCm() {}

        public static void main(String[] args) {
            System.out.println(Verbs.ibv_node_type_str(Verbs.IBV_NODE_CA()).getString(0));
            System.out.println(outcome(Verbs::rdma_create_event_channel));
            System.out.println(outcome(NativeLibraries::requireRdmaCm));
            System.out.println("requireVerbs " + outcome(NativeLibraries::requireVerbs));
        }
    }

    static final class OldLibrary {
        private OldLibrary() {}

        public static void main(String[] args) {
            System.out.println(Verbs.ibv_node_type_str(Verbs.IBV_NODE_CA()).getString(0));
            System.out.println("ibv_import_device: " + NativeLibraries.find("ibv_import_device"));
            System.out.println(outcome(() -> Verbs.ibv_import_device(0)));
            System.out.println("requireVerbs " + outcome(NativeLibraries::requireVerbs));
        }
    }

    /** Prints the files of libibverbs in this process after librdmacm has been loaded. */
    static final class MappedLibrary {
        private MappedLibrary() {}

        public static void main(String[] args) throws IOException {
            NativeLibraries.requireRdmaCm();
            try (var maps = Files.lines(Path.of("/proc/self/maps"))) {
                maps.filter(line -> line.contains("/libibverbs."))
                        .map(line -> line.substring(line.indexOf('/')))
                        .distinct()
                        .forEach(System.out::println);
            }
        }
    }

    static final class ErrnoPerThread {
        private ErrnoPerThread() {}

        public static void main(String[] args) throws InterruptedException {
            fail(11);
            int first = NativeLibraries.errno();
            fail(12);
            int second = NativeLibraries.errno();
            NativeLibraries.setErrno(13);
            System.out.printf(
                    "same thread: %d, then %d, set %d%n", first, second, NativeLibraries.errno());
            report("platform", 64, Thread.ofPlatform().factory());
            report("virtual", 1000, Thread.ofVirtual().factory());
        }

        private static void report(String kind, int threads, ThreadFactory factory)
                throws InterruptedException {
            CountDownLatch allFailed = new CountDownLatch(threads);
            CountDownLatch allDone = new CountDownLatch(threads);
            AtomicInteger wrong = new AtomicInteger();
            for (int i = 1; i <= threads; i++) {
                int mine = i;
                factory.newThread(
                                () -> {
                                    fail(mine);
                                    allFailed.countDown();
                                    await(allFailed);
                                    if (NativeLibraries.errno() != mine) {
                                        wrong.incrementAndGet();
                                    }
                                    allDone.countDown();
                                })
                        .start();
            }
            allDone.await();
            System.out.printf(
                    "%d %s threads: %d saw another's errno%n", threads, kind, wrong.get());
        }

        private static void fail(int errno) {
            int unused = Verbs.ibv_close_device(MemorySegment.ofAddress(errno));
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
