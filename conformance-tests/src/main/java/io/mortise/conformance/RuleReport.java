package io.mortise.conformance;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstances;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Counts the tests of each {@link Rule}, collects {@link Figures}, and reports at the end of the
 * run.
 */
final class RuleReport implements TestWatcher, BeforeEachCallback, ParameterResolver {
  private static final String FOLDER = "mortise.rules.folder";
  private static final String RUN = "mortise.rules.run";

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(RuleReport.class);

  /** Remembers the backend while the test instance exists. */
  @Override
  public void beforeEach(ExtensionContext context) {
    String backend =
        context.getTestInstances().map(TestInstances::getAllInstances).stream()
            .flatMap(Collection::stream)
            .filter(BackendUnderTest.class::isInstance)
            .map(instance -> ((BackendUnderTest) instance).backendName())
            .findFirst()
            .orElse("no-backend");
    Path server = Path.of(System.getProperty("mortise.server", "")).getFileName();
    String report = server.toString().isEmpty() ? backend : backend + '-' + server;
    context.getStore(STORE).put("backend", report);
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

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Figures.class;
  }

  @Override
  public Figures resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return (what, value) -> {
      context.publishReportEntry(what, value);
      totals(context).addFigure(backend(context), what, value);
    };
  }

  private static void count(ExtensionContext context, RuleTotals.Counts one) {
    RuleTotals totals = totals(context);
    for (String rule : rules(context)) {
      totals.add(backend(context), rule, one);
    }
  }

  private static String backend(ExtensionContext context) {
    Object backend = context.getStore(STORE).get("backend");
    return backend == null ? "no-backend" : backend.toString();
  }

  private static RuleTotals totals(ExtensionContext context) {
    String folder = context.getConfigurationParameter(FOLDER).orElse("target");
    String run = context.getConfigurationParameter(RUN).orElse("");
    return context
        .getRoot()
        .getStore(STORE)
        .computeIfAbsent(RuleTotals.class, key -> new RuleTotals(folder, run), RuleTotals.class);
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
