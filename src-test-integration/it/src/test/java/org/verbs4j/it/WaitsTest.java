package org.verbs4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;
import org.verbs4j.it.BlockingCalls.Row;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** No wait of the API lacks a test of each of its ends. */
class WaitsTest {
    /** Waits that are tested otherwise, and where; calls that take a time but do not wait. */
    private static final Map<String, String> OTHERS =
            Map.ofEntries(
                    Map.entry("ConnectorBuilder.resolve", "opens one and resolves"),
                    Map.entry("ConnectorBuilder.resolveDatagrams", "opens one and resolves"),
                    Map.entry(
                            "Connection.drain",
                            "CmWaitsIT.drainingEndsWhenEverythingIsBackOrTheConnectionClosed; what"
                                + " takes a queue pair that gives nothing back is in DrainTest"),
                    Map.entry(
                            "Multicast.join",
                            "CmMulticastIT.joiningEndsOnFailureTimeOutInterruptAndClose"),
                    Map.entry(
                            "Multicast.joinToSend",
                            "CmMulticastIT.joiningEndsOnFailureTimeOutInterruptAndClose"),
                    Map.entry("Reconnector.lost", "ReconnectIT.givingALostConnectionUpEnds"),
                    Map.entry(
                            "BufferPool.take", "BufferPoolIT.takingWaitsForWhatTheOwnWorkReleases"),
                    Map.entry("CompletionQueue.moderate", "the time is a setting"),
                    Map.entry("ConnectionId.resolveAddress", "its end is an event"),
                    Map.entry("ConnectionId.resolveRoute", "its end is an event"));

    private static Set<String> waits() {
        Set<String> names = new TreeSet<>();
        for (String name : List.of("org.verbs4j", "org.verbs4j.cm", "org.verbs4j.pool")) {
            ReflectionSupport.findAllClassesInPackage(
                            name,
                            type -> type.getPackageName().equals(name) && isPublic(type),
                            _ -> true)
                    .stream()
                    .filter(type -> !type.isMemberClass() || isPublic(type.getEnclosingClass()))
                    .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                    .filter(WaitsTest::waits)
                    .map(Conformance::name)
                    .forEach(names::add);
        }
        return names;
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers());
    }

    private static boolean waits(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && (List.of(method.getExceptionTypes()).contains(InterruptedException.class)
                        || List.of(method.getParameterTypes()).contains(Duration.class));
    }

    @Test
    void everyWaitIsInTheTableOrTestedOtherwise() {
        Set<String> known = BlockingCalls.ALL.stream().map(Row::name).collect(Collectors.toSet());
        assertThat(known).doesNotContainAnyElementsOf(OTHERS.keySet());
        known.addAll(OTHERS.keySet());
        assertThat(waits()).isEqualTo(new TreeSet<>(known));
    }

    @Test
    void whatIsTestedOtherwiseIs() {
        Set<String> tests =
                ReflectionSupport.findAllClassesInPackage(
                                WaitsTest.class.getPackageName(),
                                _ -> true,
                                name -> name.endsWith("IT"))
                        .stream()
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                        .map(Conformance::name)
                        .collect(Collectors.toSet());
        assertThat(OTHERS.values().stream().filter(where -> where.contains("IT.")))
                .allSatisfy(where -> assertThat(tests).contains(where.replaceAll(";.*", "")));
    }

    @Test
    void aWaitWithoutFailureSaysWhy() {
        assertThat(BlockingCalls.ALL)
                .allSatisfy(
                        row ->
                                assertThat(row.failure() == null)
                                        .isEqualTo(!row.whyNoFailure().isEmpty()));
    }
}
