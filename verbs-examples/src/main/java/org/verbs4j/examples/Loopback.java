package org.verbs4j.examples;

import static org.verbs4j.Access.LOCAL_WRITE;
import static org.verbs4j.Access.REMOTE_WRITE;

import org.verbs4j.*;

import java.time.Duration;

/**
 * Two queue pairs on the first RDMA device: one writes into the other's memory and rings a bell.
 */
public final class Loopback {
    public static void main(String[] args) throws InterruptedException {
        try (DeviceContext device = Devices.first().open();
                ProtectionDomain domain = device.newProtectionDomain();
                MemoryRegion here = domain.allocate(4096, LOCAL_WRITE);
                MemoryRegion there = domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE);
                CompletionChannel channel = device.newCompletionChannel();
                CompletionQueue queue = device.newCompletionQueue(16, channel, 0);
                RcQueuePair left = domain.newRcQueuePair(queue, queue).build();
                RcQueuePair right =
                        domain.newRcQueuePair(queue, queue).remoteAccess(REMOTE_WRITE).build()) {
            left.connect(right.endpoint());
            right.connect(left.endpoint());

            right.post(right.newReceive().id(1).empty()); // the immediate value needs a receive
            here.segment().setString(0, "hello from the left");
            left.post(
                    left.newWrite()
                            .id(2)
                            .from(here, 0, 64)
                            .to(there.remote(), 0)
                            .immediate(42)
                            .signaled(true));

            WorkCompletions done = WorkCompletions.allocate(2);
            for (int ended = 0; ended < 2; ended += done.size()) {
                if (queue.await(done, Duration.ofSeconds(5)) == 0) {
                    throw new IllegalStateException("nothing has happened for 5 seconds");
                }
                for (int i = 0; i < done.size(); i++) {
                    done.get(i).requireSuccess();
                }
            }
            System.out.println(there.segment().getString(0));
        }
    }
}
