package org.verbs4j.examples;

import org.verbs4j.Mtu;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A path MTU on the command line: the bytes, of which InfiniBand has five values. */
final class PathMtu implements ITypeConverter<Mtu> {
    @Override
    public Mtu convert(String text) {
        return Arrays.stream(Mtu.values())
                .filter(mtu -> text.equals(Integer.toString(mtu.bytes())))
                .findFirst()
                .orElseThrow(
                        () -> new TypeConversionException(text + " is not one of " + choices()));
    }

    private static String choices() {
        return Arrays.stream(Mtu.values())
                .map(mtu -> Integer.toString(mtu.bytes()))
                .collect(Collectors.joining(", "));
    }
}
