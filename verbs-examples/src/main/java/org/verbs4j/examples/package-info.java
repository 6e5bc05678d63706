/** The C example programs of rdma-core, in Java: one class per tool, one runnable jar. */
@org.jspecify.annotations.NullMarked
package org.verbs4j.examples;
