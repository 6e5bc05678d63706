/**
 * RDMA verbs for Java: {@code libibverbs} and {@code librdmacm} through the Foreign Function and
 * Memory API.
 */
@org.jspecify.annotations.NullMarked
module org.verbs4j {
    requires transitive org.verbs4j.bindings;
    requires jdk.jfr;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports org.verbs4j;
    exports org.verbs4j.cm;
    exports org.verbs4j.pool;
}
