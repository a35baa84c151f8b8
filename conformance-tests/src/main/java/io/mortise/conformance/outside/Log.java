package io.mortise.conformance.outside;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A file of {@link LogLine}s. Each line is one write to a file opened for appending. So lines of
 * many threads do not mix, and a killed process loses none of its lines. Thread-safe.
 */
final class Log implements AutoCloseable {
  private static final String SUFFIX = ".log";

  private final String source;
  private final long origin;
  private final FileOutputStream file;

  /**
   * Opens a log.
   *
   * @param folder of all logs of the run
   * @param source the writer, and the name of the file
   * @param origin the {@link System#nanoTime} of the run's start
   */
  Log(Path folder, String source, long origin) {
    this.source = source;
    this.origin = origin;
    try {
      file = new FileOutputStream(folder.resolve(source + SUFFIX).toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The time since the start of the run (ns). */
  long now() {
    return System.nanoTime() - origin;
  }

  /** Logs an event with the current time. */
  void tell(String verb, Object... namesAndValues) {
    tellAt(now(), verb, namesAndValues);
  }

  void tellAt(long at, String verb, Object... namesAndValues) {
    String line = LogLine.of(at, source, verb, namesAndValues).toString() + '\n';
    try {
      file.write(line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All lines of all logs of a folder, without a last line that is incomplete. */
  static List<LogLine> readAll(Path folder) {
    List<LogLine> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path each : files.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList()) {
        String text = Files.readString(each);
        text.substring(0, text.lastIndexOf('\n') + 1)
            .lines()
            .map(LogLine::parse)
            .forEach(lines::add);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }
}
