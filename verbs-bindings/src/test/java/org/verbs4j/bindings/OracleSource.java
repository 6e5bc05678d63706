package org.verbs4j.bindings;

import org.verbs4j.bindings.HeaderText.Function;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes {@code inline_oracle.inc}: what the oracle can derive from the headers. */
final class OracleSource {
    private OracleSource() {}

    static String write(HeaderText headers) {
        StringBuilder out = new StringBuilder();
        headers.pointers().forEach(pointer -> out.append(fake(pointer)));
        out.append(installation(headers.pointers()));
        out.append(offsets(headers.pointers()));
        headers.inlines().forEach(inline -> out.append(wrapper(inline)));
        return out.toString();
    }

    /**
     * Whether the Java inlines keep the errno of this operation: where it carries the reason of a
     * failure.
     */
    static boolean reportsByErrno(Function pointer) {
        return pointer.owner().equals("verbs_context") || pointer.name().equals("alloc_mw");
    }

    private static String fakeName(Function pointer) {
        return "fake_" + pointer.owner() + "_" + pointer.name();
    }

    private static String fake(Function pointer) {
        StringBuilder out = new StringBuilder();
        List<HeaderText.Type> types =
                pointer.parameters().stream().map(HeaderText.Parameter::type).toList();
        out.append("static %s %s(".formatted(pointer.result().name(), fakeName(pointer)));
        out.append(
                IntStream.range(0, types.size())
                        .mapToObj(i -> types.get(i).name() + " a" + i)
                        .collect(Collectors.joining(", ")));
        out.append(")\n{\n\tbegin(\"%s.%s\");\n".formatted(pointer.owner(), pointer.name()));
        for (int i = 0; i < types.size(); i++) {
            out.append("\t%s(a%d);\n".formatted(logger(types.get(i)), i));
        }
        out.append("\tend();\n");
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i).name().endsWith("**")) {
                // The place for the first request that was not accepted, which is said to be all of
                // them.
                out.append("\t*a%d = a%d;\n".formatted(i, i - 1));
            }
        }
        if (!pointer.result().isVoid()) {
            String result = reportsByErrno(pointer) ? "result_and_errno()" : "result()";
            out.append("\treturn (%s)%s;\n".formatted(pointer.result().name(), result));
        }
        return out.append("}\n\n").toString();
    }

    private static String logger(HeaderText.Type type) {
        return switch (type.name()) {
            case "struct ibv_send_wr *" -> "log_send_wr";
            case "struct ibv_recv_wr *" -> "log_recv_wr";
            default -> type.isPointer() ? "log_pointer" : "log_number";
        };
    }

    private static String installation(List<Function> pointers) {
        StringBuilder out = new StringBuilder();
        out.append(
                        "static void oracle_install_fakes(struct verbs_context *verbs_context,"
                                + " struct ibv_qp_ex *ibv_qp_ex,")
                .append(
                        " struct ibv_cq_ex *ibv_cq_ex, struct ibv_wq *ibv_wq, struct ibv_dm"
                                + " *ibv_dm)\n"
                                + "{\n");
        for (Function pointer : pointers) {
            String owner =
                    pointer.owner().equals("ibv_context_ops")
                            ? "verbs_context->context.ops."
                            : pointer.owner() + "->";
            out.append("\t%s%s = %s;\n".formatted(owner, pointer.name(), fakeName(pointer)));
        }
        return out.append("}\n\n").toString();
    }

    private static String offsets(List<Function> pointers) {
        StringBuilder out = new StringBuilder("uint64_t oracle_offset(const char *operation)\n{\n");
        for (Function pointer : pointers) {
            if (pointer.owner().equals("verbs_context")) {
                out.append("\tif (!strcmp(operation, \"%s\"))\n".formatted(pointer.name()));
                out.append(
                        "\t\treturn offsetof(struct verbs_context, %s);\n"
                                .formatted(pointer.name()));
            }
        }
        return out.append("\treturn -1;\n}\n\n").toString();
    }

    private static String wrapper(Function inline) {
        String call =
                inline.name()
                        + IntStream.range(0, inline.parameters().size())
                                .mapToObj(
                                        i ->
                                                "(%s)a[%d]"
                                                        .formatted(
                                                                inline.parameters()
                                                                        .get(i)
                                                                        .type()
                                                                        .name(),
                                                                i))
                                .collect(Collectors.joining(", ", "(", ")"));
        boolean isVoid = inline.result().isVoid();
        String body = isVoid ? call : "%s result = %s".formatted(inline.result().name(), call);
        return """
        uint64_t oracle_%s(const uint64_t *a)
        {
        \terrno = 0;
        \t%s;
        \toracle_errno = errno;
        \treturn %s;
        }

        """
                .formatted(inline.name(), body, isVoid ? "0" : "(uint64_t)result");
    }
}
