package io.mortise.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
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

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(RuleReport.class);

  /** B2 before B10, B before L. */
  private static final Comparator<String> BY_NUMBER =
      Comparator.comparing((String rule) -> rule.replaceAll("\\d", ""))
          .thenComparingInt(String::length)
          .thenComparing(Comparator.naturalOrder());

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
    count(context, Counts.PASSED);
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    count(context, Counts.FAILED);
  }

  @Override
  public void testAborted(ExtensionContext context, @Nullable Throwable cause) {
    count(context, Counts.SKIPPED);
  }

  @Override
  public void testDisabled(ExtensionContext context, Optional<String> reason) {
    count(context, Counts.SKIPPED);
  }

  private static void count(ExtensionContext context, Counts one) {
    Object backend = context.getStore(STORE).get("backend");
    String folder = context.getConfigurationParameter(FOLDER).orElse("target");
    Totals totals =
        context
            .getRoot()
            .getStore(STORE)
            .computeIfAbsent(Totals.class, key -> new Totals(folder), Totals.class);
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

  /** How tests ended. */
  private record Counts(int passed, int failed, int skipped) {
    static final Counts PASSED = new Counts(1, 0, 0);
    static final Counts FAILED = new Counts(0, 1, 0);
    static final Counts SKIPPED = new Counts(0, 0, 1);

    Counts plus(Counts other) {
      return new Counts(passed + other.passed, failed + other.failed, skipped + other.skipped);
    }
  }

  /** The counts of one run, written when it ends. */
  private static final class Totals implements AutoCloseable {
    private final Map<String, Map<String, Counts>> byBackend = new ConcurrentSkipListMap<>();

    private final String folder;

    Totals(String folder) {
      this.folder = folder;
    }

    void add(String backend, String rule, Counts one) {
      byBackend
          .computeIfAbsent(backend, key -> new ConcurrentHashMap<>())
          .merge(rule, one, Counts::plus);
    }

    @Override
    public void close() {
      if (!folder.isEmpty()) {
        byBackend.forEach(this::report);
      }
    }

    private void report(String backend, Map<String, Counts> counts) {
      String table = table(backend, counts);
      System.out.print(table);
      Path file = Path.of(folder, "mortise-rules-" + backend + ".txt");
      if (Files.isDirectory(Path.of(folder))) {
        try {
          Files.writeString(file, table);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    private static String table(String backend, Map<String, Counts> counts) {
      StringBuilder table = new StringBuilder("Rules tested with " + backend + "\n");
      table.append(String.format("%-6s%8s%8s%8s%n", "rule", "passed", "failed", "skipped"));
      Map<String, Counts> sorted = new TreeMap<>(BY_NUMBER);
      sorted.putAll(counts);
      sorted.forEach((rule, n) ->
          table.append(String.format("%-6s%8d%8d%8d%n", rule, n.passed, n.failed, n.skipped)));
      return table.toString();
    }
  }
}
