package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Posix;
import org.verbs4j.bindings.Verbs;

import java.util.List;
import java.util.Set;

/** Why a queue pair did not change: found out only after the kernel has refused. */
final class TransitionFailure {
    private TransitionFailure() {}

    static QueuePairTransitionException of(
            QueuePair pair, QueuePairSetup setup, QueuePairAttributes attributes, int errno) {
        QueuePairState from = actualState(pair);
        QueuePairState to = attributes.has(Verbs.IBV_QP_STATE()) ? attributes.state() : from;
        Transitions.Rule rule =
                errno == Posix.EINVAL()
                        ? Transitions.of(setup.type(), from, to)
                        : new Transitions.Rule(0, 0);
        Set<String> missing = Set.of();
        Set<String> disallowed = Set.of();
        String why;
        if (rule == null) {
            why = "there is no such transition";
        } else if (errno == Posix.EINVAL()) {
            missing = rule.missing(attributes.mask());
            disallowed = rule.disallowed(attributes.mask());
            why = invalid(setup, attributes, missing, disallowed);
        } else {
            why = other(setup, attributes, errno);
        }
        String detail = pair + " cannot go from " + from + " to " + to + ": " + why;
        return new QueuePairTransitionException(errno, from, to, missing, disallowed, detail);
    }

    private static QueuePairState actualState(QueuePair pair) {
        try {
            return pair.queryState();
        } catch (VerbsException e) {
            return pair.state();
        }
    }

    private static String invalid(
            QueuePairSetup setup,
            QueuePairAttributes attributes,
            Set<String> missing,
            Set<String> disallowed) {
        if (!missing.isEmpty() || !disallowed.isEmpty()) {
            return (missing.isEmpty() ? "" : "it needs " + String.join(", ", missing))
                    + (missing.isEmpty() || disallowed.isEmpty() ? "" : "; ")
                    + (disallowed.isEmpty()
                            ? ""
                            : "it does not allow " + String.join(", ", disallowed));
        }
        AddressVector vector = attributes.addressVector();
        return vector == null
                ? "the attributes are the right ones, so one of their values is out of the device's"
                        + " range: "
                        + String.join(", ", Transitions.names(attributes.mask()))
                : way(setup.port(), vector, Posix.EINVAL());
    }

    /** What is wrong with the way to a peer. */
    static String way(Port port, AddressVector vector, int errno) {
        AddressVector.GlobalRoute route = vector.route();
        if (route == null) {
            return port.attributes().linkLayer() == PortAttributes.LinkLayer.ETHERNET
                    ? "the address vector has no global route, which RoCE cannot do without"
                    : "the address vector is not accepted: " + vector;
        }
        if (errno != Posix.EINVAL()) {
            return unreachable(port, route, errno);
        }
        List<GidEntry> table = port.gidTable();
        GidEntry source = entry(table, route.sourceGidIndex());
        if (source == null || !source.isRoutable()) {
            return sourceGid(table, route.sourceGidIndex(), source);
        }
        if (source.gid().isIpv4Mapped() != route.destination().isIpv4Mapped()) {
            return "the local GID "
                    + source.gid()
                    + " and the peer's "
                    + route.destination()
                    + " are not of one family: choose both IPv4-mapped or both IPv6";
        }
        if (route.destination().isZero()) {
            return "the peer's GID is all zero";
        }
        return "the way to "
                + route.destination()
                + " from "
                + source.gid()
                + " is not accepted: check that the addresses are in use and that path MTU,"
                + " sequence numbers and reads are in range";
    }

    private static String sourceGid(List<GidEntry> table, int index, @Nullable GidEntry source) {
        return "GID index "
                + index
                + (source == null ? " is empty" : " is " + source.gid() + " of " + source.type())
                + "; "
                + Hints.usableGids(table);
    }

    private static @Nullable GidEntry entry(List<GidEntry> table, int index) {
        return table.stream().filter(entry -> entry.index() == index).findFirst().orElse(null);
    }

    private static String other(QueuePairSetup setup, QueuePairAttributes attributes, int errno) {
        AddressVector vector = attributes.addressVector();
        AddressVector.GlobalRoute route = vector == null ? null : vector.route();
        if (route == null) {
            return "the kernel refuses " + String.join(", ", Transitions.names(attributes.mask()));
        }
        return unreachable(setup.port(), route, errno);
    }

    private static String unreachable(Port port, AddressVector.GlobalRoute route, int errno) {
        if (errno == Posix.ENODATA()) {
            List<GidEntry> table = port.gidTable();
            return sourceGid(table, route.sourceGidIndex(), entry(table, route.sourceGidIndex()));
        }
        if (errno == Posix.ETIMEDOUT()
                || errno == Posix.EHOSTUNREACH()
                || errno == Posix.ENETUNREACH()) {
            return "nobody answers for "
                    + route.destination()
                    + " on the network of "
                    + port
                    + ": check the peer's address and `ping` it";
        }
        return "the way to " + route.destination() + " cannot be set up";
    }
}
