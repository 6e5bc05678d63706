package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.verbs4j.bindings.Claim.Kind;
import org.verbs4j.gcc.Forked;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The generated layouts and constants beside what the C compilers make of the same headers. */
class GeneratedLayoutsTest {
    @ParameterizedTest
    @EnumSource
    void everySizeOffsetAndConstantIsThatOfTheCompiler(Architecture architecture)
            throws IOException {
        CCompiler compiler = new CCompiler(architecture);
        requireInstalled(compiler, architecture);
        List<Claim> claims = claimsOn(architecture);

        long[] values = compiler.evaluate(claims.stream().map(Claim::expression).toList());

        assertThat(values).as("one value for each expression").hasSize(claims.size());
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            Claim claim = claims.get(i);
            if (claim.value() != values[i]) {
                differences.add(
                        claim.expression() + ": C " + values[i] + ", Java " + claim.value());
            }
        }
        System.out.printf(
                "%s: %d structs, %d fields, %d constants compared with gcc %s, %d differ%n",
                architecture,
                count(claims, Kind.STRUCT),
                count(claims, Kind.FIELD),
                count(claims, Kind.CONSTANT),
                compiler.version(),
                differences.size());
        assertThat(differences).isEmpty();
    }

    @Test
    void everyNameOfTheIncludeListsIsCompared() {
        Set<String> structs = new TreeSet<>();
        Set<String> constants = new TreeSet<>();
        for (String list : List.of("includes-verbs.txt", "includes-posix.txt")) {
            structs.addAll(GeneratedSources.included(list, "--include-struct", "--include-union"));
            constants.addAll(GeneratedSources.included(list, "--include-constant"));
        }
        // Asked for because jextract needs them, then replaced by hand-written types sized by
        // platform.
        structs.removeIf(name -> name.startsWith("__pthread_"));

        List<Claim> claims = GeneratedClaims.all();

        assertThat(subjects(claims, Kind.STRUCT)).isEqualTo(structs);
        assertThat(subjects(claims, Kind.CONSTANT)).isEqualTo(constants);
        System.out.printf(
                "include lists: %d of %d structs and %d of %d constants are compared%n",
                count(claims, Kind.STRUCT),
                structs.size(),
                count(claims, Kind.CONSTANT),
                constants.size());
    }

    /**
     * The comparison is worth something: it sees the one difference there is between architectures.
     */
    @Test
    void theMutexOfAarch64MovesTheFieldsBehindItInEightStructs() throws IOException {
        Set<String> lines = new TreeSet<>();
        claimsOn(Architecture.AARCH64).forEach(claim -> lines.add(claim.toLine()));
        claimsOn(Architecture.X86_64).forEach(claim -> lines.remove(claim.toLine()));

        Set<String> structs = new TreeSet<>();
        lines.stream()
                .map(Claim::ofLine)
                .forEach(claim -> structs.add(claim.subject().replaceAll("\\..*", "")));

        assertThat(structs)
                .containsExactly(
                        "ibv_context",
                        "ibv_cq",
                        "ibv_cq_ex",
                        "ibv_qp",
                        "ibv_qp_ex",
                        "ibv_srq",
                        "ibv_wq",
                        "verbs_context");
    }

    private static void requireInstalled(CCompiler compiler, Architecture architecture)
            throws IOException {
        assertThat(Path.of("/usr/include/infiniband/verbs.h"))
                .as("the headers of rdma-core: apt-get install libibverbs-dev librdmacm-dev")
                .exists();
        if (compiler.isInstalled()) {
            return;
        }
        String message =
                architecture + ": not compared, apt-get install " + architecture.packages();
        if (architecture.isHost()) {
            fail(message);
        }
        System.out.println(message);
        assumeTrue(false, message);
    }

    /**
     * Layouts are computed when the classes are initialised, so another architecture needs another
     * JVM.
     */
    private static List<Claim> claimsOn(Architecture architecture) throws IOException {
        if (architecture.isHost()) {
            return GeneratedClaims.all();
        }
        Forked jvm =
                Forked.java(GeneratedClaims.class, List.of("-Dos.arch=" + architecture.osArch()));
        return jvm.orFail().out().lines().map(Claim::ofLine).toList();
    }

    private static Set<String> subjects(List<Claim> claims, Kind kind) {
        Set<String> subjects = new TreeSet<>();
        claims.stream()
                .filter(claim -> claim.kind() == kind)
                .forEach(claim -> subjects.add(claim.subject()));
        return subjects;
    }

    private static int count(List<Claim> claims, Kind kind) {
        return subjects(claims, kind).size();
    }
}
