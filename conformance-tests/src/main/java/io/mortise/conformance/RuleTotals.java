package io.mortise.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The counts and figures of one JVM. At its end it adds them to one table for each backend. Other
 * test JVMs of the same run add to the same table. A table of an earlier run is replaced.
 */
final class RuleTotals implements AutoCloseable {
  static final Counts PASSED = new Counts(1, 0, 0);
  static final Counts FAILED = new Counts(0, 1, 0);
  static final Counts SKIPPED = new Counts(0, 0, 1);

  /** B2 before B10, and B before L. */
  private static final Comparator<String> BY_NUMBER =
      Comparator.comparing((String rule) -> rule.replaceAll("\\d", ""))
          .thenComparingInt(String::length)
          .thenComparing(Comparator.naturalOrder());

  /** The prefix of a line with a figure. */
  private static final String FIGURE = "figure ";

  private final Map<String, Map<String, Counts>> byBackend = new ConcurrentSkipListMap<>();
  private final Map<String, Map<String, String>> figures = new ConcurrentHashMap<>();
  private final String folder;
  private final String run;

  /** The number of tests by result. */
  record Counts(int passed, int failed, int skipped) {
    Counts plus(Counts other) {
      return new Counts(passed + other.passed, failed + other.failed, skipped + other.skipped);
    }
  }

  /** Without other JVMs to add to, {@code run} is empty. */
  RuleTotals(String folder, String run) {
    this.folder = folder;
    this.run = run;
  }

  void add(String backend, String rule, Counts one) {
    byBackend
        .computeIfAbsent(backend, key -> new ConcurrentHashMap<>())
        .merge(rule, one, Counts::plus);
  }

  void addFigure(String backend, String what, String value) {
    figures.computeIfAbsent(backend, key -> new ConcurrentSkipListMap<>()).put(what, value);
  }

  @Override
  public void close() {
    if (!folder.isEmpty() && Files.isDirectory(Path.of(folder))) {
      byBackend.forEach(this::report);
    }
  }

  private void report(String backend, Map<String, Counts> counts) {
    Path file = Path.of(folder, "mortise-rules-" + backend + ".txt");
    String title = "Rules tested with " + backend + (run.isEmpty() ? "" : ", run " + run);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.lock(); // closing the channel releases it
      Map<String, Counts> all = new TreeMap<>(BY_NUMBER);
      all.putAll(counts);
      Map<String, String> measured = new TreeMap<>(figures.getOrDefault(backend, Map.of()));
      if (!run.isEmpty()) {
        addWritten(channel, title, all, measured);
      }
      String text = table(title, all, measured);
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds the results that other JVMs of this run have written. */
  private static void addWritten(
      FileChannel channel, String title, Map<String, Counts> all, Map<String, String> measured)
      throws IOException {
    byte[] bytes = Channels.newInputStream(channel).readAllBytes();
    List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
    boolean sameRun = !lines.isEmpty() && lines.get(0).equals(title);
    for (String line : sameRun ? lines.subList(2, lines.size()) : List.<String>of()) {
      if (line.startsWith(FIGURE)) {
        String[] figure = line.substring(FIGURE.length()).split(": ", 2);
        measured.putIfAbsent(figure[0], figure[1]);
      } else {
        Scanner cells = new Scanner(line);
        all.merge(
            cells.next(),
            new Counts(cells.nextInt(), cells.nextInt(), cells.nextInt()),
            Counts::plus);
      }
    }
  }

  private static String table(
      String title, Map<String, Counts> counts, Map<String, String> measured) {
    StringBuilder table = new StringBuilder(title + System.lineSeparator());
    table.append(String.format("%-6s%8s%8s%8s%n", "rule", "passed", "failed", "skipped"));
    counts.forEach((rule, n) ->
        table.append(String.format("%-6s%8d%8d%8d%n", rule, n.passed, n.failed, n.skipped)));
    measured.forEach(
        (what, value) -> table.append(String.format("%s%s: %s%n", FIGURE, what, value)));
    return table.toString();
  }
}
