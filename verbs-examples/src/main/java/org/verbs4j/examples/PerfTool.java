package org.verbs4j.examples;

import org.jspecify.annotations.Nullable;
import org.verbs4j.DeviceContext;

/**
 * What the tools of perftest have in common: from the command line to the last line of output. A
 * tool adds what it measures.
 */
abstract class PerfTool extends Tool {
    /** What was asked for, of which picocli knows before it calls the tool. */
    abstract PerfOptions options();

    @Override
    final void run() throws InterruptedException {
        PerfOptions options = options();
        PerfPlan plan = PerfPlan.of(options, spec());
        PerfOutput output = new PerfOutput(spec().name(), plan);
        output.requireWritable();
        if (!options.anyFrequency) {
            warnOfFrequency();
        }
        try (DeviceContext context = PortChoice.device(options.device).open()) {
            PortChoice port = PortChoice.of(context, options.devicePort, options.gidIndex);
            plan.requirePossible(port, context);
            PerfWarmUp warmUp = PerfWarmUp.run(context, port, plan);
            if (options.rdmaCm) {
                measureByRdmaCm(context, plan, warmUp, output);
            } else {
                try (PerfChannel channel = meet(options, port)) {
                    measure(context, port, plan, warmUp, channel, output);
                }
            }
        }
        output.write();
    }

    private void warnOfFrequency() {
        Finding governor = new MachineChecks(Machine.here()).governor();
        if (governor.level() != Finding.Level.OK) {
            say(
                    spec().commandLine().getErr(),
                    spec().name(),
                    governor.found() + ": " + governor.advice() + " (-F: no warning)");
        }
    }

    private PerfChannel meet(PerfOptions options, PortChoice port) {
        PeerPort meeting = new PeerPort(options.tcpPort, options.silenceLimit());
        return new TcpPerfChannel(
                connection(meeting, options),
                options.isClient(),
                port.gid().isPresent(),
                options.silenceLimit());
    }

    private void sayWaiting() {
        PerfHeader.waiting().forEach(this::print);
    }

    private PeerConnection connection(PeerPort meeting, PerfOptions options) {
        String host = options.host;
        if (host != null) {
            return meeting.connect(host);
        }
        try (PeerPort.Listener listener = meeting.listen()) {
            sayWaiting();
            return listener.accept(options.acceptLimit());
        }
    }

    /** On the device that leads to the peer. */
    private void measureByRdmaCm(
            DeviceContext context, PerfPlan plan, @Nullable PerfWarmUp warmUp, PerfOutput output)
            throws InterruptedException {
        PerfOptions options = plan.options();
        try (RdmaPerfChannel channel =
                options.host == null
                        ? RdmaPerfChannel.accept(options, this::sayWaiting)
                        : RdmaPerfChannel.connect(options, options.host)) {
            if (channel.deviceName().equals(context.device().name())) {
                measureByRdmaCm(context, plan, warmUp, channel, output);
            } else if (options.device != null) {
                throw new ToolFailure(
                        "%s is reached by %s, not by %s: leave -d out with -R"
                                .formatted(channel.peer(), channel.deviceName(), options.device));
            } else {
                try (DeviceContext other = PortChoice.device(channel.deviceName()).open()) {
                    measureByRdmaCm(other, plan, warmUp, channel, output);
                }
            }
        }
    }

    private void measureByRdmaCm(
            DeviceContext context,
            PerfPlan plan,
            @Nullable PerfWarmUp warmUp,
            RdmaPerfChannel channel,
            PerfOutput output)
            throws InterruptedException {
        PerfOptions options = plan.options();
        PortChoice port = PortChoice.of(context, options.devicePort, options.gidIndex);
        measure(context, port, plan, warmUp, channel, output);
    }

    private void measure(
            DeviceContext context,
            PortChoice port,
            PerfPlan asked,
            @Nullable PerfWarmUp warmUp,
            PerfChannel channel,
            PerfOutput output)
            throws InterruptedException {
        PerfPath path = PerfPath.local(port, asked.options()).agree(channel);
        PerfPlan plan = asked.transport() == PerfTransport.UD ? fit(asked, path) : asked;
        try (PerfEnds ends = new PerfEnds(context, port, plan, path, plan.options().pairs);
                Release _ = channel::release;
                PerfRun run = PerfRun.of(plan, ends)) {
            channel.connect(ends);
            PerfHeader.of(plan, context, port, ends, channel.method(), warmUp).forEach(this::print);
            PerfSession session = new PerfSession(plan, channel, ends);
            session.connect(this, port.gid().isPresent());
            try (PerfProgress progress = new PerfProgress(run, spec().commandLine().getErr())) {
                run.measure(session, this, progress, output);
            }
        }
    }

    /** What closes before the queue pairs do. */
    private interface Release extends AutoCloseable {
        @Override
        void close();
    }

    /** A datagram is one packet. */
    private static PerfPlan fit(PerfPlan plan, PerfPath path) {
        int mtu = path.mtu().bytes();
        boolean asked = !plan.options().all && plan.size() != plan.options().usualSize();
        if (asked && plan.size() > mtu) {
            throw new ToolFailure(
                    "a datagram of %d bytes is too long for a path MTU of %d"
                            .formatted(plan.size(), mtu));
        }
        return plan.upTo(mtu);
    }
}
