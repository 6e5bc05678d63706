package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.verbs4j.WorkStatus;
import org.verbs4j.cm.Listener;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a flight recording tells of registrations, queue pairs and connections. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FlightRecordingIT {
    private static final List<String> NAMES =
            List.of(
                    "org.verbs4j.Registration",
                    "org.verbs4j.QueuePairState",
                    "org.verbs4j.QueuePairFailure",
                    "org.verbs4j.ConnectionEvent");

    /** Connects, fails a read, and disconnects, while these events are recorded. */
    private static List<RecordedEvent> record(List<String> names) throws Exception {
        Path file = Files.createTempFile("verbs4j", ".jfr");
        try (Recording recording = new Recording()) {
            names.forEach(name -> recording.enable(name).withoutThreshold());
            recording.start();
            try (Listener listener = Listener.bind(CmPlace.anyPort(), 1);
                    CmConnected both = CmConnected.through(listener)) {
                both.clientSide.pair.post(
                        both.clientSide
                                .pair
                                .newRead()
                                .id(77)
                                .signaled(true)
                                .from(both.serverSide.memory.address(), 0x12345)
                                .into(both.clientSide.memory, 0, 8));
                assertThat(both.clientSide.awaitAny().status())
                        .isEqualTo(WorkStatus.REMOTE_ACCESS_ERROR);
                assertThatThrownBy(both.clientSide.pair::moveToInit)
                        .isInstanceOf(RuntimeException.class);
            }
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().startsWith("org.verbs4j."))
                    .toList();
        } finally {
            Files.delete(file);
        }
    }

    private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(e -> e.getEventType().getName().equals(name)).toList();
    }

    @Test
    void aRecordingTellsWhatHappened() throws Exception {
        List<RecordedEvent> all = record(NAMES);
        assertThat(named(all, "org.verbs4j.Registration"))
                .anySatisfy(
                        event -> {
                            assertThat(event.getLong("length")).isEqualTo(4096);
                            assertThat(event.getInt("errno")).isZero();
                            assertThat(event.getString("device")).isNotEmpty();
                            assertThat(event.getDuration().isNegative()).isFalse();
                        });
        assertThat(named(all, "org.verbs4j.QueuePairState"))
                .anySatisfy(
                        event -> {
                            assertThat(event.getString("from")).isEqualTo("READY_TO_RECEIVE");
                            assertThat(event.getString("to")).isEqualTo("READY_TO_SEND");
                            assertThat(event.getInt("errno")).isZero();
                        })
                .anySatisfy(event -> assertThat(event.getInt("errno")).isNotZero());
        assertThat(named(all, "org.verbs4j.QueuePairFailure"))
                .singleElement()
                .satisfies(
                        event -> {
                            assertThat(event.getLong("request")).isEqualTo(77);
                            assertThat(event.getString("status")).isEqualTo("REMOTE_ACCESS_ERROR");
                        });
        assertThat(named(all, "org.verbs4j.ConnectionEvent"))
                .extracting(event -> event.getString("kind"))
                .contains(
                        "AddressResolved",
                        "RouteResolved",
                        "Requested",
                        "Responded",
                        "Established",
                        "Disconnected");
    }

    @Test
    void nothingIsRecordedUnlessItIsAskedFor() throws Exception {
        assertThat(record(List.of())).isEmpty();
        assertThat(FlightRecorder.getFlightRecorder().getEventTypes())
                .extracting(EventType::getName)
                .containsAll(NAMES);
    }
}
