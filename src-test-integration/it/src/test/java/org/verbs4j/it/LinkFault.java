package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;

import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** netem on both interfaces of the guest's link; closing it heals the link. */
final class LinkFault implements AutoCloseable {
    private final List<String> interfaces;

    private LinkFault(List<String> interfaces) {
        this.interfaces = interfaces;
    }

    /** A fault as {@code tc} says it, such as {@code loss 10%}; only within a guest. */
    static LinkFault with(String fault) throws Exception {
        Assumptions.assumeFalse(TestPlace.engine().equals("host"), "not on a host's own link");
        List<String> interfaces = new ArrayList<>();
        for (var address : CmPlace.addresses()) {
            interfaces.add(NetworkInterface.getByInetAddress(address).getName());
        }
        Assumptions.assumeTrue(interfaces.size() > 1, "no link between two devices");
        return on(interfaces, fault);
    }

    /** The same where the link leads to another host; each has its own end. */
    static LinkFault onThisHost(String fault) throws Exception {
        NetworkInterface own = NetworkInterface.getByInetAddress(CmPlace.addresses().getFirst());
        return on(List.of(own.getName()), fault);
    }

    private static LinkFault on(List<String> interfaces, String fault) throws Exception {
        for (String name : interfaces) {
            tc(("qdisc add dev " + name + " root netem " + fault).split(" "));
        }
        return new LinkFault(interfaces);
    }

    private static void tc(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("tc"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }

    @Override
    public void close() throws Exception {
        for (String name : interfaces) {
            tc("qdisc", "del", "dev", name, "root");
        }
    }
}
