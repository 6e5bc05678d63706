package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A host in a guest's network that the kernel takes for alive; closing it takes it away. */
final class Neighbour implements AutoCloseable {
    private final String address;
    private final String netdev;

    private Neighbour(InetAddress address) throws Exception {
        this.address = address.getHostAddress();
        this.netdev = NetworkInterface.getByInetAddress(CmPlace.addresses().getFirst()).getName();
    }

    static Neighbour appears(InetAddress address) throws Exception {
        Assumptions.assumeFalse(TestPlace.engine().equals("host"), "not on a host's own network");
        Neighbour neighbour = new Neighbour(address);
        neighbour.ip("replace", "lladdr", "02:00:00:00:00:77", "nud", "permanent");
        return neighbour;
    }

    private void ip(String verb, String... more) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("ip", "neigh", verb, address));
        command.addAll(List.of("dev", netdev));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    }

    @Override
    public void close() throws Exception {
        ip("del");
    }
}
