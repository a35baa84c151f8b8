package io.mortise.conformance;

import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstances;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/** Counts the tests of each {@link Rule} and tells at the end of the run. */
final class RuleReport implements TestWatcher, BeforeEachCallback {
  private static final String FOLDER = "mortise.rules.folder";
  private static final String RUN = "mortise.rules.run";

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(RuleReport.class);

  /** Remembers the backend while there is a test instance to ask. */
  @Override
  public void beforeEach(ExtensionContext context) {
    String backend =
        context.getTestInstances().map(TestInstances::getAllInstances).stream()
            .flatMap(Collection::stream)
            .filter(BackendUnderTest.class::isInstance)
            .map(instance -> ((BackendUnderTest) instance).backendName())
            .findFirst()
            .orElse("no-backend");
    context.getStore(STORE).put("backend", backend);
  }

  @Override
  public void testSuccessful(ExtensionContext context) {
    count(context, RuleTotals.PASSED);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    count(context, RuleTotals.FAILED);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    count(context, RuleTotals.SKIPPED);
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    count(context, RuleTotals.SKIPPED);
  }

  private static void count(ExtensionContext context, RuleTotals.Counts one) {
    Object backend = context.getStore(STORE).get("backend");
    String folder = context.getConfigurationParameter(FOLDER).orElse("target");
    String run = context.getConfigurationParameter(RUN).orElse("");
    RuleTotals totals =
        context
            .getRoot()
            .getStore(STORE)
            .computeIfAbsent(
                RuleTotals.class, key -> new RuleTotals(folder, run), RuleTotals.class);
    for (String rule : rules(context)) {
      totals.add(backend == null ? "no-backend" : backend.toString(), rule, one);
    }
  }

  private static Collection<String> rules(ExtensionContext context) {
    Stream<Class<?>> classes =
        Stream.concat(context.getTestClass().stream(), context.getEnclosingTestClasses().stream());
    return Stream.concat(context.getTestMethod().stream(), classes)
        .flatMap(element -> AnnotationSupport.findAnnotation(element, Rule.class).stream())
        .flatMap(rule -> Stream.of(rule.value()))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
