package org.verbs4j.bindings;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import org.verbs4j.bindings.Claim.Kind;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Everything the generated classes claim about C, read from them by reflection: the size and the
 * alignment of each struct, the offset and the size of each field, and each constant. A field is
 * counted for every way to it: in the layout of the struct down to its last nested member, and in
 * the accessors of the nested classes.
 */
final class GeneratedClaims {
    private final List<Claim> claims = new ArrayList<>();

    private GeneratedClaims() {}

    /** The claims of this JVM, as lines: how a JVM started with another {@code os.arch} answers. */
    public static void main(String[] args) {
        System.out.print(String.join("\n", all().stream().map(Claim::toLine).toList()));
    }

    static List<Claim> all() {
        GeneratedClaims all = new GeneratedClaims();
        GeneratedSources.structs().forEach(name -> all.addStruct(classNamed(name), name));
        GeneratedSources.HEADER_CLASSES.forEach(all::addConstants);
        return all.claims.stream().distinct().toList();
    }

    static Class<?> classNamed(String struct) {
        try {
            return Class.forName(GeneratedClaims.class.getPackageName() + "." + struct);
        } catch (ClassNotFoundException e) {
            throw new LinkageError("no generated class for " + struct, e);
        }
    }

    static boolean isStruct(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .anyMatch(method -> method.getName().equals("layout"));
    }

    static GroupLayout layoutOf(Class<?> struct) {
        return (GroupLayout) call(struct, "layout");
    }

    private void addStruct(Class<?> type, String name) {
        GroupLayout layout = layoutOf(type);
        String cType = (layout instanceof UnionLayout ? "union " : "struct ") + name;
        claim(Kind.STRUCT, name, "sizeof(" + cType + ")", layout.byteSize());
        claim(Kind.STRUCT, name, "_Alignof(" + cType + ")", layout.byteAlignment());
        addMembers(name, cType, layout, "", 0);
        addAccessors(name, cType, type, "");
    }

    private void addMembers(
            String struct, String cType, GroupLayout group, String prefix, long base) {
        for (MemoryLayout member : group.memberLayouts()) {
            if (member instanceof PaddingLayout) {
                continue;
            }
            String name = member.name().orElseThrow();
            long offset = base + group.byteOffset(groupElement(name));
            if (name.startsWith("$anon$")) {
                // C reaches the members of an unnamed union as if they were the struct's own.
                addMembers(struct, cType, (GroupLayout) member, prefix, offset);
            } else {
                addField(struct, cType, prefix + name, offset, member.byteSize());
                addNested(struct, cType, member, prefix + name, offset);
            }
        }
    }

    private void addNested(
            String struct, String cType, MemoryLayout member, String path, long offset) {
        switch (member) {
            case SequenceLayout sequence -> {
                addField(struct, cType, path + "[0]", offset, sequence.elementLayout().byteSize());
                addNested(struct, cType, sequence.elementLayout(), path + "[0]", offset);
            }
            case GroupLayout group when !isOpaque(group) ->
                    addMembers(struct, cType, group, path + ".", offset);
            default -> {}
        }
    }

    /** The hand-written pthread types have their size and nothing inside. */
    private static boolean isOpaque(GroupLayout group) {
        return group.memberLayouts().stream()
                .allMatch(member -> member.name().orElse("").equals("opaque"));
    }

    /** What {@code field$offset()} and {@code field$layout()} say, which the accessors go by. */
    private void addAccessors(String struct, String cType, Class<?> type, String path) {
        for (Method method : sortedMethods(type)) {
            if (method.getName().endsWith("$offset")) {
                String field = method.getName().replace("$offset", "");
                MemoryLayout layout = (MemoryLayout) call(type, field + "$layout");
                String owner =
                        path.isEmpty() ? cType : "__typeof__(((" + cType + " *)0)->" + path + ")";
                String subject = path.isEmpty() ? field : path + "." + field;
                long offset = (long) call(type, method.getName());
                claim(
                        Kind.FIELD,
                        struct + "." + subject,
                        "offsetof(" + owner + ", " + field + ")",
                        offset);
                claim(
                        Kind.FIELD,
                        struct + "." + subject,
                        "sizeof(((" + owner + " *)0)->" + field + ")",
                        layout.byteSize());
            }
        }
        for (Class<?> nested : type.getDeclaredClasses()) {
            if (isStruct(nested)) {
                String name = nested.getSimpleName();
                addAccessors(struct, cType, nested, path.isEmpty() ? name : path + "." + name);
            }
        }
    }

    private void addField(String struct, String cType, String path, long offset, long size) {
        String subject = struct + "." + path.replace("[0]", "");
        claim(Kind.FIELD, subject, "offsetof(" + cType + ", " + path + ")", offset);
        claim(Kind.FIELD, subject, "sizeof(((" + cType + " *)0)->" + path + ")", size);
    }

    private void addConstants(Class<?> header) {
        for (Method method : constants(header)) {
            String name = method.getName();
            // The C side takes an unsigned int for an int of the same bits and nothing wider for
            // either.
            switch (call(header, name)) {
                case Integer value -> claim(Kind.CONSTANT, name, "AS_INT(" + name + ")", value);
                case Long value -> claim(Kind.CONSTANT, name, name, value);
                case MemorySegment value ->
                        claim(Kind.CONSTANT, name, "(unsigned long)" + name, value.address());
                default -> throw new AssertionError("a constant of a new kind: " + name);
            }
        }
    }

    /** The methods that stand for constants: no parameter, and no function behind them. */
    static List<Method> constants(Class<?> header) {
        List<Method> methods = sortedMethods(header);
        List<String> names = methods.stream().map(Method::getName).toList();
        return methods.stream()
                .filter(method -> method.getParameterCount() == 0)
                .filter(method -> !method.getName().contains("$"))
                .filter(method -> !names.contains(method.getName() + "$descriptor"))
                .toList();
    }

    private static List<Method> sortedMethods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    private static Object call(Class<?> type, String method) {
        try {
            return type.getMethod(method).invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName() + "." + method, e);
        }
    }

    private void claim(Kind kind, String subject, String expression, long value) {
        claims.add(new Claim(kind, subject, expression, value));
    }
}
