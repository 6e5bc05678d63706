/** Registered buffers, cut from one region. */
package org.verbs4j.pool;
