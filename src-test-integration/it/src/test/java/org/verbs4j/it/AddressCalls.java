package org.verbs4j.it;

import org.junit.jupiter.api.Assumptions;
import org.verbs4j.cm.AddressInfo;
import org.verbs4j.cm.AddressInfo.Hints;
import org.verbs4j.cm.PortSpace;

import java.io.IOException;
import java.time.Duration;

/** The wait for a name server. */
final class AddressCalls {
    private AddressCalls() {}

    /** A name that the name server does not tell. */
    static final class Find extends BlockingCall {
        private final NameServer server;

        Find() throws IOException {
            Assumptions.assumeFalse(TestPlace.engine().equals("host"), "not a host's name server");
            server = keep(new NameServer());
        }

        @Override
        Object await(Duration timeout) throws Exception {
            return AddressInfo.find("some.name.test", "7", Hints.toConnect(PortSpace.TCP), timeout)
                    .getFirst();
        }

        @Override
        void succeed() {
            server.answer(CmPlace.addresses().getFirst());
        }

        @Override
        void fail() {
            server.deny();
        }

        /** A lookup is not an object: its owner ends it by an interrupt. */
        @Override
        void closeWaitedOn() {
            throw new UnsupportedOperationException();
        }
    }
}
