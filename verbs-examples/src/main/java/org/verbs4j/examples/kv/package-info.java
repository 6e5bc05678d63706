/**
 * A key-value store whose readers never wake its server: they read its table by RDMA READ, and
 * count by remote fetch-and-add. Only what changes the table is a message.
 *
 * <pre>{@code
 *          client                                      server
 * get    READ of a bucket  ----------------------->  (its device alone)
 * add    FETCH_AND_ADD in a bucket  -------------->  (its device alone)
 * put    SEND of a Message  ---------------------->  checks it, changes the table,
 *        receives the answer  <-------------------   answers
 * }</pre>
 *
 * {@link org.verbs4j.examples.kv.Bucket} draws what is in the table, {@link
 * org.verbs4j.examples.kv.Offer} how a client learns where it is.
 */
@org.jspecify.annotations.NullMarked
package org.verbs4j.examples.kv;
