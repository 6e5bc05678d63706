package org.verbs4j;

import org.jspecify.annotations.Nullable;
import org.verbs4j.bindings.Verbs;

import java.util.ArrayList;
import java.util.List;

/**
 * Which packets a queue pair gets and what happens to them, {@code struct ibv_flow_attr} and the
 * specifications behind it: for {@link QueuePair#newFlow}. A value.
 *
 * @param type whether it matches what it lists, or all of a kind
 * @param priority 0 to 65535; of two rules that match, the one with the smaller number wins
 * @param port the device's, 1 to 255
 * @param flags bits of {@code enum ibv_flow_flags}
 * @param matches what a packet must be like, outer headers first
 * @param actions what happens to it
 */
public record FlowRule(
        Type type, int priority, int port, int flags, List<Match> matches, List<Action> actions) {

    /** What a rule matches: {@code enum ibv_flow_attr_type}. */
    public enum Type {
        /** What it lists. */
        NORMAL(Verbs.IBV_FLOW_ATTR_NORMAL()),
        /** What no other rule matches. */
        ALL_DEFAULT(Verbs.IBV_FLOW_ATTR_ALL_DEFAULT()),
        /** Multicast that no other rule matches. */
        MULTICAST_DEFAULT(Verbs.IBV_FLOW_ATTR_MC_DEFAULT()),
        /** Everything, beside those who get it. */
        SNIFFER(Verbs.IBV_FLOW_ATTR_SNIFFER());

        private final int code;

        Type(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }
    }

    /**
     * One header to match: a {@code struct ibv_flow_spec}.
     *
     * @param value the fields as they must be
     * @param mask the bits of them that matter, of the same type
     * @param inner whether it is of the packet within a tunnel
     */
    public record Match(FlowFilter value, FlowFilter mask, boolean inner) {
        /** Checks that value and mask are of the same header. */
        public Match {
            if (value.getClass() != mask.getClass()) {
                throw new IllegalArgumentException(
                        "the mask of "
                                + value
                                + " must be of the same type, but is "
                                + mask.getClass().getSimpleName());
            }
        }
    }

    /** Something that happens to a packet: a {@code struct ibv_flow_spec} as well. */
    public sealed interface Action {
        /**
         * Its completion carries a number, {@code struct ibv_flow_spec_action_tag}, see {@link
         * ExtendedCompletion#flowTag()}.
         *
         * @param value 32 bits
         */
        record Tag(int value) implements Action {}

        /** It is thrown away: {@code struct ibv_flow_spec_action_drop}. */
        record Drop() implements Action {}

        /**
         * It is encrypted or decrypted: {@code struct ibv_flow_spec_action_handle}.
         *
         * @param action how; it must be open until the flow is closed
         */
        record Handle(FlowAction action) implements Action {}

        /**
         * It is counted: {@code struct ibv_flow_spec_counter_action}.
         *
         * @param counters where; they must be open until the flow is closed
         */
        record Count(FlowCounters counters) implements Action {}
    }

    /** Makes it unchangeable. */
    public FlowRule {
        Arguments.range("priority", priority, 0, 0xffff);
        Arguments.range("port", port, 1, 0xff);
        matches = List.copyOf(matches);
        actions = List.copyOf(actions);
        Arguments.range("matches and actions", matches.size() + actions.size(), 0, 0xff);
    }

    /**
     * Begins a rule that matches what it lists.
     *
     * @param port the device's, 1 to 255
     */
    public static Builder on(int port) {
        return new Builder(port);
    }

    void encode(FlowEncoder encoder) {
        matches.forEach(encoder::add);
        for (Action action : actions) {
            switch (action) {
                case Action.Tag tag -> encoder.addTag(tag.value());
                case Action.Drop _ -> encoder.addDrop();
                case Action.Handle handle -> encoder.addAction(handle.action().handle());
                case Action.Count count -> encoder.addCount(count.counters().handle());
            }
        }
    }

    /** A provider would take what is of another context, or another provider's, for its own. */
    void requireOf(DeviceContext context) {
        for (Action action : actions) {
            boolean foreign =
                    switch (action) {
                        case Action.Handle handle -> handle.action().context() != context;
                        case Action.Count count -> count.counters().context() != context;
                        case Action.Tag _, Action.Drop _ -> false;
                    };
            if (foreign) {
                throw new IllegalArgumentException(
                        action + " is of another context than the queue pair");
            }
        }
    }

    /** What must stay open as long as a flow of this rule. */
    List<Lifecycle> uses() {
        return actions.stream()
                .map(FlowRule::use)
                .<Lifecycle>mapMulti(
                        (life, sink) -> {
                            if (life != null) {
                                sink.accept(life);
                            }
                        })
                .distinct()
                .toList();
    }

    private static @Nullable Lifecycle use(Action action) {
        return switch (action) {
            case Action.Handle handle -> handle.action().life();
            case Action.Count count -> count.counters().life();
            case Action.Tag _, Action.Drop _ -> null;
        };
    }

    /** Lists what a rule matches and does. Belongs to one thread. */
    public static final class Builder {
        private final int port;
        private final List<Match> matches = new ArrayList<>();
        private final List<Action> actions = new ArrayList<>();
        private Type type = Type.NORMAL;
        private int priority;
        private int flags;

        private Builder(int port) {
            this.port = port;
        }

        /** Sets the type, {@link Type#NORMAL} at first. */
        public Builder type(Type which) {
            type = which;
            return this;
        }

        /**
         * Sets the priority.
         *
         * @param number 0 to 65535, 0 at first; the smaller number wins
         */
        public Builder priority(int number) {
            priority = number;
            return this;
        }

        /**
         * Lets rules of lower priority have the packets too: {@code IBV_FLOW_ATTR_FLAGS_DONT_TRAP}.
         */
        public Builder doNotTrap() {
            flags |= Verbs.IBV_FLOW_ATTR_FLAGS_DONT_TRAP();
            return this;
        }

        /** Makes it a rule for what is sent: {@code IBV_FLOW_ATTR_FLAGS_EGRESS}. */
        public Builder egress() {
            flags |= Verbs.IBV_FLOW_ATTR_FLAGS_EGRESS();
            return this;
        }

        /**
         * Adds a header to match.
         *
         * @param value the fields as they must be
         * @param mask the bits of them that matter, of the same type
         */
        public Builder match(FlowFilter value, FlowFilter mask) {
            matches.add(new Match(value, mask, false));
            return this;
        }

        /** As {@link #match}, of the packet within a tunnel. */
        public Builder matchInner(FlowFilter value, FlowFilter mask) {
            matches.add(new Match(value, mask, true));
            return this;
        }

        /** Adds something that happens to the packets. */
        public Builder action(Action action) {
            actions.add(action);
            return this;
        }

        /** The rule. */
        public FlowRule build() {
            return new FlowRule(type, priority, port, flags, matches, actions);
        }
    }
}
