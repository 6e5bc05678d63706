package org.verbs4j.cm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.verbs4j.AddressVector;

class DatagramDestinationTest {
    @Test
    void theQueueKeyIsWrittenAsInMessages() {
        AddressVector way = new AddressVector(1, 3, 0, null);

        assertThat(new DatagramDestination(way, 17, 0x8000_1234))
                .hasToString("queue pair 17 with queue key 0x80001234 by " + way);
    }
}
