package org.verbs4j.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.verbs4j.bindings.HeaderText.Function;
import org.verbs4j.gcc.Gcc;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Calls an inline function once as the C compiler makes it and once in Java, on the same fake
 * objects, and compares everything that can be seen: the calls that arrived and their arguments,
 * the result, errno, and every byte of the objects.
 */
final class Oracle {
    /** The classes that together have every inline function. */
    private static final List<Class<?>> JAVA =
            List.of(
                    ContextVerbs.class,
                    ExtendedQueuePair.class,
                    ExtendedCompletionQueue.class,
                    InlineVerbs.class,
                    InlineRdmaCm.class,
                    IbAddress.class);

    /** What one call left behind. */
    record Outcome(long result, int errno, String log, ByteBuffer world) {}

    private final HeaderText headers;
    private final SymbolLookup library;
    private final Map<String, Method> methods = new HashMap<>();
    private final Arena arena = Arena.ofAuto();

    private Oracle() throws IOException {
        headers = HeaderText.preprocess();
        Path directory = Gcc.directory("oracle");
        Files.writeString(directory.resolve("inline_oracle.inc"), OracleSource.write(headers));
        Path file =
                Gcc.library(
                        directory.resolve("libinline_oracle.so"),
                        List.of(Path.of("src/test/c/inline_oracle.c")),
                        Gcc.STATIC,
                        "-I" + directory);
        library = SymbolLookup.libraryLookup(file, Arena.global());
        takeThePlaceOfLibibverbs();
        for (Class<?> holder : JAVA) {
            for (Method method : holder.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())) {
                    assertThat(methods.put(method.getName(), method))
                            .as("defined once: " + method)
                            .isNull();
                }
            }
        }
    }

    /**
     * The exported functions that the inlines call are the oracle's, in C because it was linked so,
     * in Java by name: whatever the generated class can call and the oracle defines.
     */
    void takeThePlaceOfLibibverbs() {
        for (Method method : Verbs.class.getMethods()) {
            String name = method.getName();
            library.find(name).ifPresent(fake -> Calls.EXPORTED.put(name, fake.address()));
        }
    }

    private static final class Holder {
        static final Oracle INSTANCE = make();

        private static Oracle make() {
            try {
                return new Oracle();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Oracle get() {
        return Holder.INSTANCE;
    }

    HeaderText headers() {
        return headers;
    }

    Function inline(String name) {
        return headers.inlines().stream()
                .filter(inline -> inline.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    Method method(String name) {
        Method method = methods.get(name);
        if (method == null) {
            throw new AssertionError("the inline function " + name + " has no method in Java");
        }
        return method;
    }

    /**
     * An object of the world: by its C type, or by any other name a place of 512 bytes to be passed
     * on.
     */
    long object(String name) {
        return (long)
                call(
                        "oracle_object",
                        FunctionDescriptor.of(JAVA_LONG, ADDRESS),
                        arena.allocateFrom(name));
    }

    /** The offset of an operation in {@code verbs_context}, by the C compiler. */
    long offset(String operation) {
        return (long)
                call(
                        "oracle_offset",
                        FunctionDescriptor.of(JAVA_LONG, ADDRESS),
                        arena.allocateFrom(operation));
    }

    /**
     * The argument used for each parameter unless a test wants another: objects, and numbers that
     * show truncation.
     */
    long[] arguments(Function inline) {
        long[] arguments = new long[inline.parameters().size()];
        for (int i = 0; i < arguments.length; i++) {
            HeaderText.Parameter parameter = inline.parameters().get(i);
            arguments[i] =
                    parameter.type().isPointer()
                            ? object(objectName(parameter))
                            : 0x8182_8384_f5f6_f7f0L + 0x0101_0101_0101_0101L * i;
        }
        return arguments;
    }

    /** Types of which a call takes two have an object for each parameter. */
    private static String objectName(HeaderText.Parameter parameter) {
        String type = parameter.type().name();
        return type.contains("void") || type.contains("ib_addr") ? type + parameter.name() : type;
    }

    Outcome inC(String wrapper, Scenario scenario, long... arguments) {
        MemorySegment words = arena.allocateFrom(JAVA_LONG, arguments);
        return observe(
                scenario,
                () -> (long) call(wrapper, FunctionDescriptor.of(JAVA_LONG, ADDRESS), words),
                () -> symbol("oracle_errno").reinterpret(Integer.BYTES).get(JAVA_INT, 0));
    }

    Outcome inJava(String name, Scenario scenario, long... arguments) {
        Method method = method(name);
        Class<?>[] types = method.getParameterTypes();
        assertThat(types).as("parameters of " + name).hasSize(arguments.length);
        Object[] boxed = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            boxed[i] = types[i] == int.class ? (Object) (int) arguments[i] : (Object) arguments[i];
        }
        return observe(scenario, () -> invoke(method, boxed), NativeLibraries::errno);
    }

    private static long invoke(Method method, Object[] arguments) {
        try {
            NativeLibraries.setErrno(0);
            return switch (method.invoke(null, arguments)) {
                case null -> 0;
                case Boolean yes -> yes ? 1 : 0;
                case Number number -> number.longValue();
                case Object other ->
                        throw new AssertionError("a result of an unknown kind: " + other);
            };
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new AssertionError(e.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private Outcome observe(Scenario scenario, LongSupplier call, IntSupplier errno) {
        reset(scenario);
        long result = call.getAsLong();
        return new Outcome(result, errno.getAsInt(), log(), world());
    }

    /** Puts the world in order and scripts what the fakes answer. */
    void reset(Scenario scenario) {
        call("oracle_reset", FunctionDescriptor.ofVoid());
        call(
                "oracle_script",
                FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT),
                arena.allocateFrom(
                        JAVA_LONG,
                        scenario.results().stream().mapToLong(Long::longValue).toArray()),
                scenario.results().size(),
                scenario.errno());
        scenario.arrangement().accept(this);
    }

    /** The calls that arrived since the last reset, one a line. */
    String log() {
        MemorySegment text = (MemorySegment) call("oracle_log", FunctionDescriptor.of(ADDRESS));
        return text.reinterpret(Long.MAX_VALUE).getString(0);
    }

    private ByteBuffer world() {
        MemorySegment world = (MemorySegment) call("oracle_world", FunctionDescriptor.of(ADDRESS));
        long size = (long) call("oracle_world_size", FunctionDescriptor.of(JAVA_LONG));
        return ByteBuffer.wrap(world.reinterpret(size).toArray(JAVA_BYTE));
    }

    /**
     * Calls an inline function in both ways and requires that nothing differs; gives what Java
     * left.
     */
    Outcome compare(String name, Scenario scenario, long... arguments) {
        return compare("oracle_" + name, name, scenario, arguments, arguments);
    }

    /** The same for a macro, whose wrapper may have fixed an argument that Java still takes. */
    Outcome compare(String wrapper, String name, Scenario scenario, long[] inC, long[] inJava) {
        Outcome c = inC(wrapper, scenario, inC);
        Outcome java = inJava(name, scenario, inJava);
        String what = name + " when " + scenario.name();
        assertThat(java.log()).as("calls made by " + what).isEqualTo(c.log());
        assertThat(comparable(name, java.result()))
                .as("result of " + what)
                .isEqualTo(comparable(name, c.result()));
        if (c.errno() != 0) {
            // Without a failure errno is whatever the virtual machine left there, and means
            // nothing.
            assertThat(java.errno()).as("errno after " + what).isEqualTo(c.errno());
        }
        assertThat(java.world()).as("objects after " + what).isEqualTo(c.world());
        return java;
    }

    /**
     * C hands back 64 bits; a Java int is all there is of a narrower type. memcmp promises no more
     * than a sign.
     */
    private long comparable(String name, long result) {
        Class<?> type = method(name).getReturnType();
        long sameWidth = type == int.class ? (int) result : result;
        return name.equals("ib_addr_cmp") ? Long.signum(sameWidth) : sameWidth;
    }

    private MemorySegment symbol(String name) {
        return library.findOrThrow(name);
    }

    private Object call(String function, FunctionDescriptor descriptor, Object... arguments) {
        MethodHandle handle = Linker.nativeLinker().downcallHandle(symbol(function), descriptor);
        try {
            Object result = handle.invokeWithArguments(arguments);
            return result == null ? MemorySegment.NULL : result;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
