/**
 * The C interface of rdma-core 44 as jextract sees it, and by hand what jextract cannot see: how
 * the libraries are found, errno, the platform-sized pthread types, and every inline function of
 * the headers.
 *
 * <p>Programs use {@code org.verbs4j}; this module is the escape hatch below it and follows the C
 * names.
 */
@org.jspecify.annotations.NullMarked
module org.verbs4j.bindings {
    requires static org.jspecify;

    exports org.verbs4j.bindings;
}
