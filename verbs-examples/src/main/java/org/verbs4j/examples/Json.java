package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The little JSON that tools write. */
final class Json {
    private Json() {}

    static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    /** Maps, lists, numbers, booleans and null as such, anything else as text. */
    static String of(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Boolean truth -> truth.toString();
            case Double number ->
                    number.isNaN() || number.isInfinite()
                            ? "null"
                            : String.format(Locale.ROOT, "%.6f", number);
            case Number number -> number.toString();
            case Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(entry -> quoted(entry.getKey() + "") + ": " + of(entry.getValue()))
                            .collect(Collectors.joining(", ", "{", "}"));
            case List<?> list ->
                    list.stream().map(Json::of).collect(Collectors.joining(",\n  ", "[", "]"));
            default -> quoted(value.toString());
        };
    }
}
