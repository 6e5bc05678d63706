package org.verbs4j.bindings;

import static java.nio.charset.StandardCharsets.US_ASCII;

import org.verbs4j.gcc.Forked;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The C compiler of an architecture, asked what expressions are worth there; what it makes is never
 * run.
 */
final class CCompiler {
    private static final String SECTION = "verbs4j";
    private static final Path SYSTEM_HEADERS = Path.of("/usr/include");

    /** The sources and objects stay here, to look at when something differs. */
    private static final Path WORK = GeneratedSources.MODULE.resolve("target/layouts");

    private final Architecture architecture;

    CCompiler(Architecture architecture) {
        this.architecture = architecture;
    }

    /**
     * Whether it compiles: a cross compiler may be there without the libc headers of its target.
     */
    boolean isInstalled() throws IOException {
        Path probe = Files.createDirectories(WORK).resolve(architecture + "-probe.c");
        Files.writeString(probe, "#include <pthread.h>\n#include <linux/types.h>\n");
        try {
            return Forked.of(architecture.compiler(), "-fsyntax-only", probe.toString()).status()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    String version() throws IOException {
        return Forked.of(architecture.compiler(), "-dumpfullversion").out().strip();
    }

    /**
     * The value of each expression on the architecture, signed, in the order of the expressions.
     */
    long[] evaluate(List<String> expressions) throws IOException {
        Path include = rdmaHeadersOnly();
        Path source = WORK.resolve(architecture + ".c");
        Path object = WORK.resolve(architecture + ".o");
        Files.writeString(source, program(expressions));
        Forked.of(
                        architecture.compiler(),
                        "-c",
                        "-w",
                        "-isystem",
                        include.toString(),
                        "-I",
                        GeneratedSources.NATIVE_HEADERS.toString(),
                        "-o",
                        object.toString(),
                        source.toString())
                .orFail();
        ByteBuffer table = section(ByteBuffer.wrap(Files.readAllBytes(object)));
        long[] values = new long[table.remaining() / Long.BYTES];
        table.asLongBuffer().get(values);
        return values;
    }

    private static String program(List<String> expressions) {
        return """
        #include <stddef.h>
        #include "verbs4j.h"
        #include "posix.h"
        #define AS_INT(x) ((x) == (int)(x) || (x) == (unsigned int)(x) ? (long long)(int)(x) : 1LL << 62)
        const long long table[] __attribute__((section("%s"), used)) = {
            (long long)(%s)
        };
        """
                .formatted(SECTION, String.join("),\n    (long long)(", expressions));
    }

    /**
     * The headers of rdma-core are the same everywhere, those of libc are not: a cross compiler
     * must see the first in {@code /usr/include} without the second beside them.
     */
    private static Path rdmaHeadersOnly() throws IOException {
        Path include = Files.createDirectories(WORK.resolve("include"));
        for (String directory : List.of("infiniband", "rdma")) {
            Path link = include.resolve(directory);
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, SYSTEM_HEADERS.resolve(directory));
            }
        }
        return include;
    }

    /** The bytes of our section in an ELF64 object, in the byte order that the object declares. */
    private static ByteBuffer section(ByteBuffer elf) {
        boolean bigEndian = elf.get(5) == 2;
        elf.order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        int headers = (int) elf.getLong(0x28);
        int headerSize = elf.getShort(0x3a);
        int count = elf.getShort(0x3c);
        int names = (int) elf.getLong(headers + elf.getShort(0x3e) * headerSize + 0x18);
        for (int header = headers; header < headers + count * headerSize; header += headerSize) {
            byte[] name = new byte[SECTION.length() + 1];
            int at = names + elf.getInt(header);
            if (at + name.length <= elf.capacity()) {
                elf.get(at, name);
                if (new String(name, US_ASCII).equals(SECTION + "\0")) {
                    ByteOrder order = elf.order();
                    return elf.slice(
                                    (int) elf.getLong(header + 0x18),
                                    (int) elf.getLong(header + 0x20))
                            .order(order);
                }
            }
        }
        throw new AssertionError("the object has no section " + SECTION);
    }
}
