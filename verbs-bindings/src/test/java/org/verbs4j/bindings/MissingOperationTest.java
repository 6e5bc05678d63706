package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.verbs4j.bindings.HeaderText.Function;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * When an operation of {@code verbs_context} is there and when it is not, for every inline function
 * that calls one.
 */
class MissingOperationTest {
    private static final Pattern OPERATION = Pattern.compile("\\Averbs_context\\.(\\w+)\\(");

    private final Oracle oracle = Oracle.get();
    private final Set<String> reached = new TreeSet<>();

    @TestFactory
    Stream<DynamicTest> anOperationIsThereExactlyWhenTheSizeReachesToIt() {
        Stream<DynamicTest> each = oracle.headers().inlines().stream().flatMap(this::tests);
        return Stream.concat(
                each, Stream.of(DynamicTest.dynamicTest("every operation is reached", this::all)));
    }

    private void all() {
        Set<String> declared =
                oracle.headers().pointers().stream()
                        .filter(pointer -> pointer.owner().equals("verbs_context"))
                        .map(Function::name)
                        .collect(Collectors.toSet());
        System.out.println("operations of verbs_context at their size boundary: " + reached.size());
        assertThat(reached).containsExactlyInAnyOrderElementsOf(declared);
    }

    private Scenario answering(Function inline) {
        return Scenario.answering(
                inline.name().equals("ibv_create_wq") ? oracle.object("struct ibv_wq *") : 1);
    }

    private Stream<DynamicTest> tests(Function inline) {
        long[] arguments = oracle.arguments(inline);
        if (inline.name().startsWith("rdma_")) {
            return Stream.empty();
        }
        Matcher operation =
                OPERATION.matcher(oracle.inJava(inline.name(), answering(inline), arguments).log());
        if (!operation.find()) {
            return Stream.empty();
        }
        String name = operation.group(1);
        long offset = oracle.offset(name);
        long enough = fullSize() - offset;
        reached.add(name);
        List<DynamicTest> tests = new ArrayList<>();
        tests.add(
                DynamicTest.dynamicTest(
                        inline.name() + " calls at size " + enough,
                        () -> isCalled(inline, arguments, name, Circumstances.size(enough))));
        tests.add(
                missing(
                        inline,
                        arguments,
                        "the size is " + (enough - 1),
                        Circumstances.size(enough - 1)));
        tests.add(
                missing(
                        inline,
                        arguments,
                        "the context is not extended",
                        Circumstances::notExtended));
        tests.add(missing(inline, arguments, "it is NULL", Circumstances.withoutOperation(offset)));
        return tests.stream();
    }

    private long fullSize() {
        oracle.reset(Scenario.answering(0));
        return Memory.getLong(oracle.object("struct verbs_context *") + verbs_context.sz$offset());
    }

    private void isCalled(
            Function inline, long[] arguments, String operation, Consumer<Oracle> change) {
        Oracle.Outcome outcome =
                oracle.compare(
                        inline.name(), answering(inline).on("at the size", change), arguments);
        assertThat(outcome.log()).startsWith("verbs_context." + operation + "(");
    }

    private DynamicTest missing(
            Function inline, long[] arguments, String why, Consumer<Oracle> change) {
        return DynamicTest.dynamicTest(
                inline.name() + " misses its operation when " + why,
                () -> isMissing(inline, arguments, answering(inline).on(why, change)));
    }

    private void isMissing(Function inline, long[] arguments, Scenario scenario) {
        // C calls this one without asking, and crashes.
        boolean askedInC = !inline.name().equals("ibv_close_xrcd");
        Oracle.Outcome outcome =
                askedInC
                        ? oracle.compare(inline.name(), scenario, arguments)
                        : oracle.inJava(inline.name(), scenario, arguments);
        switch (inline.name()) {
            case "___ibv_query_port" -> assertThat(outcome.log()).startsWith("ibv_query_port(");
            case "ibv_query_device_ex" -> assertThat(outcome.log()).startsWith("ibv_query_device(");
            default -> {
                assertThat(outcome.log()).as("calls").isEmpty();
                boolean pointer = inline.result().isPointer();
                assertThat(outcome.result()).isEqualTo(pointer ? 0 : Posix.EOPNOTSUPP());
                assertThat(outcome.errno()).isEqualTo(pointer ? Posix.EOPNOTSUPP() : 0);
            }
        }
    }

    @Test
    void noAllocationOfMemoryWindowsIsNullAndErrno() {
        long operation = ibv_context.ops$offset() + ibv_context_ops.alloc_mw$offset();
        Scenario without =
                Scenario.answering(1)
                        .on(
                                "there is no alloc_mw",
                                Circumstances.pointer("struct ibv_context *", operation, 0));

        Oracle.Outcome outcome =
                oracle.compare(
                        "ibv_alloc_mw",
                        without,
                        oracle.object("struct ibv_pd *"),
                        Verbs.IBV_MW_TYPE_1());

        assertThat(outcome.result()).isZero();
        assertThat(outcome.errno()).isEqualTo(Posix.EOPNOTSUPP());
    }

    @Test
    void tagMatchingOperationsNameTheRequestNotAcceptedWhenMissing() {
        long badOp = oracle.object("struct ibv_ops_wr **");
        long op = oracle.object("struct ibv_ops_wr *");

        Oracle.Outcome outcome =
                oracle.compare(
                        "ibv_post_srq_ops",
                        Scenario.answering(0)
                                .on("the context is not extended", Circumstances::notExtended),
                        oracle.object("struct ibv_srq *"),
                        op,
                        badOp);

        assertThat(outcome.result()).isEqualTo(Posix.EOPNOTSUPP());
        assertThat(Memory.getLong(badOp)).isEqualTo(op);
    }

    @Test
    void theMacroFindsTheContextThatHasTheOperation() {
        long context = oracle.object("struct ibv_context *");
        long[] inC = {context};
        long[] inJava = {context, verbs_context.create_cq_ex$offset()};
        String wrapper = "macro_verbs_get_ctx_op_create_cq_ex";

        Oracle.Outcome found =
                oracle.compare(wrapper, "verbs_get_ctx_op", Scenario.answering(0), inC, inJava);
        assertThat(found.result()).isEqualTo(oracle.object("struct verbs_context *"));

        Scenario old =
                Scenario.answering(0).on("the context is not extended", Circumstances::notExtended);
        assertThat(oracle.compare(wrapper, "verbs_get_ctx_op", old, inC, inJava).result()).isZero();
        assertThat(oracle.compare("verbs_get_ctx", old, context).result()).isZero();
    }
}
