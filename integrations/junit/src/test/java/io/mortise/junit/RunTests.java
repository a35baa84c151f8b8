package io.mortise.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes on the JUnit of the class path. Prints what failed, and how many ran. */
final class RunTests {
  private RunTests() {}

  public static void main(String[] classes) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Stream.of(classes).map(name -> selectClass(name)).toList())
            .build();
    SummaryGeneratingListener seen = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, seen);
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    seen.getSummary().printFailuresTo(out, 30);
    out.printf(
        "JUnit %s: %d of %d tests passed%n",
        org.junit.jupiter.api.Test.class.getPackage().getImplementationVersion(),
        seen.getSummary().getTestsSucceededCount(),
        seen.getSummary().getTestsFoundCount());
  }
}
