package org.verbs4j.examples;

import org.verbs4j.cm.PortSpace;

import picocli.CommandLine.TypeConversionException;

/** Port spaces as {@code udaddy} and {@code mckey} take them, by number. */
final class PortSpaces {
    private PortSpaces() {}

    static PortSpace forDatagrams(String number) {
        try {
            PortSpace space = PortSpace.of((int) CNumbers.parse(number, 0, 0xffff));
            if (space.isForDatagrams()) {
                return space;
            }
        } catch (TypeConversionException e) {
            throw new ToolFailure("-p " + number + " is no port space: 0x111 or 0x2", e);
        }
        throw new ToolFailure("-p " + number + " is not for datagrams: 0x111 or 0x2");
    }
}
