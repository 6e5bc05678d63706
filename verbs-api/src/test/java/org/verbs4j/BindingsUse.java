package org.verbs4j;

import org.verbs4j.bindings.DataPath;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which functions the bindings have and which of them the API gets to, read from the class files.
 *
 * <p>A method is {@code Class.name}. The API gets to what its constant pools name, and from there
 * to what those methods call or, as the inlines do with exported functions, name in a string.
 */
final class BindingsUse {
    private static final String PACKAGE = DataPath.class.getPackageName().replace('.', '/') + "/";
    private static final String GENERATED = "Verbs";

    /** Those that remake the inline functions of the headers, each under its C name. */
    private static final List<String> INLINES =
            List.of(
                    "InlineVerbs",
                    "ContextVerbs",
                    "ExtendedQueuePair",
                    "ExtendedCompletionQueue",
                    "InlineRdmaCm",
                    "IbAddress");

    private final Set<String> functions = new TreeSet<>();
    private final Map<String, Set<String>> calls = new HashMap<>();
    private final Set<String> reached = new HashSet<>();

    BindingsUse() {
        List<ClassModel> bindings = classes(DataPath.class);
        bindings.forEach(this::addFunctions);
        for (ClassModel type : bindings) {
            for (MethodModel method : type.methods()) {
                calls.computeIfAbsent(
                                nameOf(type) + "." + method.methodName().stringValue(),
                                _ -> new HashSet<>())
                        .addAll(callsOf(method));
            }
        }
        Deque<String> next = new ArrayDeque<>();
        for (ClassModel type : classes(DeviceContext.class)) {
            type.constantPool()
                    .forEach(
                            entry -> {
                                if (entry instanceof MemberRefEntry member) {
                                    add(
                                            next,
                                            member.owner().asInternalName(),
                                            member.name().stringValue());
                                }
                            });
        }
        while (!next.isEmpty()) {
            String method = next.pop();
            if (reached.add(method)) {
                next.addAll(calls.getOrDefault(method, Set.of()));
            }
        }
    }

    /** The C functions that the bindings have: {@code Class.name}. */
    Set<String> functions() {
        return functions;
    }

    /** Whether the API gets to a method, {@code Class.name}. */
    boolean reaches(String method) {
        return reached.contains(method);
    }

    private void addFunctions(ClassModel type) {
        String name = nameOf(type);
        Set<String> methods = new HashSet<>();
        for (MethodModel method : type.methods()) {
            if (method.flags().has(AccessFlag.PUBLIC)) {
                methods.add(method.methodName().stringValue());
            }
        }
        for (String method : methods) {
            boolean exported = name.equals(GENERATED) && methods.contains(method + "$handle");
            if (exported || INLINES.contains(name)) {
                functions.add(name + "." + method);
            }
        }
    }

    private Set<String> callsOf(MethodModel method) {
        Set<String> found = new HashSet<>();
        if (method.code().isPresent()) {
            for (CodeElement element : method.code().get()) {
                switch (element) {
                    case InvokeInstruction call ->
                            add(found, call.owner().asInternalName(), call.name().stringValue());
                    case InvokeDynamicInstruction lambda ->
                            lambda.bootstrapArgs().stream()
                                    .filter(DirectMethodHandleDesc.class::isInstance)
                                    .map(DirectMethodHandleDesc.class::cast)
                                    .forEach(target -> add(found, target));
                    case ConstantInstruction constant -> {
                        if (functions.contains(GENERATED + "." + constant.constantValue())) {
                            found.add(GENERATED + "." + constant.constantValue());
                        }
                    }
                    default -> {}
                }
            }
        }
        return found;
    }

    private static void add(Set<String> found, DirectMethodHandleDesc target) {
        String owner = target.owner().descriptorString();
        add(found, owner.substring(1, owner.length() - 1), target.methodName());
    }

    private static void add(Collection<String> found, String owner, String method) {
        if (owner.startsWith(PACKAGE)) {
            found.add(owner.substring(PACKAGE.length()) + "." + method);
        }
    }

    private static String nameOf(ClassModel type) {
        return type.thisClass().asInternalName().substring(PACKAGE.length());
    }

    /** All classes of the jar or directory that a class is of. */
    private static List<ClassModel> classes(Class<?> one) {
        try {
            Path place = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                return parse(place);
            }
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                return parse(jar.getPath("/"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static List<ClassModel> parse(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.endsWith("module-info.class"))
                    .map(BindingsUse::parseFile)
                    .toList();
        }
    }

    private static ClassModel parseFile(Path file) {
        try {
            return ClassFile.of().parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
