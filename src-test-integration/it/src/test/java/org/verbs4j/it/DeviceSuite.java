package org.verbs4j.it;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Runs the device tests in this JVM, wherever {@code run-device-suite} has put it, and says what
 * ran where.
 *
 * <p>The last line is {@code ENGINE: N passed, N failed, N skipped}. The exit status is 0 when at
 * least one test ran and none failed. The first argument is a regular expression for the names of
 * the classes to run. With a second one, a file, only tests that hold a fact of the conformance
 * table run, and what came of them is written there.
 */
public final class DeviceSuite {
    private static final String TWO_HOSTS = ".*[.]TwoHostsIT";

    private DeviceSuite() {}

    public static void main(String[] args) throws IOException {
        String pattern = args.length > 0 ? args[0] : ".*IT";
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectPackage(DeviceSuite.class.getPackageName()))
                        .filters(includeClassNamePatterns(pattern));
        request.filters(
                OtherHost.isThere()
                        ? includeClassNamePatterns(TWO_HOSTS)
                        : excludeClassNamePatterns(TWO_HOSTS));
        if (args.length > 1) {
            request.filters((PostDiscoveryFilter) DeviceSuite::holdsFact);
        }
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        ConformanceRun conformance = new ConformanceRun();
        LauncherFactory.create().execute(request.build(), summary, new Progress(), conformance);
        if (args.length > 1) {
            conformance.write(Path.of(args[1]));
        }
        TestExecutionSummary result = summary.getSummary();
        result.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8), 30);
        long skipped = result.getTestsSkippedCount() + result.getTestsAbortedCount();
        long failed = result.getTestsFailedCount() + result.getContainersFailedCount();
        System.out.printf(
                Locale.ROOT,
                "%s: %d passed, %d failed, %d skipped%n",
                TestPlace.engine(),
                result.getTestsSucceededCount(),
                failed,
                skipped);
        System.exit(failed == 0 && result.getTestsSucceededCount() > 0 ? 0 : 1);
    }

    /** Keeps the methods that hold a fact, and whatever is no method. */
    private static FilterResult holdsFact(TestDescriptor test) {
        return FilterResult.includedIf(
                !(test.getSource().orElse(null) instanceof MethodSource source)
                        || source.getJavaMethod().isAnnotationPresent(Holds.class));
    }

    /** One line a class, and one for each test that did not pass. */
    private static final class Progress implements TestExecutionListener {
        private long started;

        @Override
        public void executionStarted(TestIdentifier test) {
            if (isClass(test)) {
                started = System.nanoTime();
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            System.out.println("skipped " + test.getDisplayName() + ": " + reason);
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest() && result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                String outcome = result.getStatus().name().toLowerCase(Locale.ROOT);
                String reason =
                        result.getThrowable().map(Throwable::getMessage).orElse("no reason given");
                System.out.println(outcome + " " + test.getDisplayName() + ": " + reason);
            } else if (isClass(test)) {
                double seconds = (System.nanoTime() - started) / 1e9;
                System.out.printf(
                        Locale.ROOT,
                        "%s %s (%.1f s)%n",
                        TestPlace.engine(),
                        test.getDisplayName(),
                        seconds);
            }
        }

        private static boolean isClass(TestIdentifier test) {
            return test.isContainer() && test.getDisplayName().endsWith("IT");
        }
    }
}
