/**
 * File transfer without copies in the programs: both files are mapped and registered, and the
 * sender's device writes from one into the other.
 *
 * <pre>{@code
 *      sender                                          receiver
 * FILE, its size and name  ---------------------->  opens a file beside the target
 * maps and registers       <----------------------  ROOM: a part is mapped and registered
 * a part                   <----------------------  ROOM: and the next
 * WRITE of a chunk, with its length as immediate ->  checksum; when the part is full,
 * WRITE of a chunk ...     ---------------------->   ROOM for another
 * END, the checksum        ---------------------->  compares, renames
 *                          <----------------------  DONE; or FAILED at any time, with the reason
 * }</pre>
 *
 * Only {@link org.verbs4j.examples.file.Note}s are messages. No more than two parts of a file are
 * registered at a time, so that it may be larger than the memory that may be locked.
 */
@org.jspecify.annotations.NullMarked
package org.verbs4j.examples.file;
