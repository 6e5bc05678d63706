/**
 * RDMA verbs for Java: devices, memory, queue pairs and completions under the names of the C
 * library.
 */
package org.verbs4j;
