package org.verbs4j;

import org.verbs4j.bindings.NativeLibraries;
import org.verbs4j.bindings.Posix;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Memory on huge pages of the system's default size, {@code mmap(2)} with {@code MAP_HUGETLB}. */
final class HugePages {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final long FAILED = -1;

    private HugePages() {}

    /**
     * Zeroed memory, unmapped when the arena closes. The kernel sets the pages aside at once, so
     * that none is missing later.
     *
     * @throws VerbsException when there are not enough free ones, with how many there are
     */
    static MemorySegment allocate(long byteSize, Arena arena) {
        long page = kibibytes("Hugepagesize:") * 1024;
        if (page <= 0) {
            throw new VerbsException("mmap", 0, "this kernel has no huge pages");
        }
        Arguments.range("byteSize", byteSize, 1, Long.MAX_VALUE - page);
        long rounded = (byteSize + page - 1) / page * page;
        MemorySegment mapped =
                Posix.mmap(
                        MemorySegment.NULL,
                        rounded,
                        Posix.PROT_READ() | Posix.PROT_WRITE(),
                        Posix.MAP_PRIVATE() | Posix.MAP_ANONYMOUS() | Posix.MAP_HUGETLB(),
                        -1,
                        0);
        if (mapped.address() == FAILED) {
            throw new VerbsException(
                    "mmap", NativeLibraries.errno(), shortage(byteSize, rounded / page, page));
        }
        return mapped.reinterpret(rounded, arena, whole -> Posix.munmap(whole, rounded))
                .asSlice(0, byteSize);
    }

    private static String shortage(long byteSize, long pages, long page) {
        return byteSize
                + " bytes need "
                + pages
                + " huge pages of "
                + page / 1024
                + " KiB, and "
                + kibibytes("HugePages_Free:")
                + " are free, of which "
                + kibibytes("HugePages_Rsvd:")
                + " are spoken for: set more aside by `sysctl vm.nr_hugepages=N`, in a container by"
                + " its limit of huge pages";
    }

    /** A number of {@code /proc/meminfo}, -1 when it is not there. */
    private static long kibibytes(String name) {
        try (Stream<String> lines = Files.lines(MEMORY)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(name.length()).replace("kB", "").strip())
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(-1);
        } catch (IOException e) {
            return -1;
        }
    }
}
