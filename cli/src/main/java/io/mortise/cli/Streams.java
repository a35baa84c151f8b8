package io.mortise.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes. What the terminal is like is told by the script in properties: the JVM
 * can tell neither stdout from stderr, nor how wide they are.
 *
 * @param out results
 * @param err progress and errors
 * @param terminal whether {@code err} is a terminal, on which a line can be drawn anew
 * @param columns how wide that is
 * @param colours whether help may be coloured
 */
record Streams(PrintWriter out, PrintWriter err, boolean terminal, int columns, boolean colours) {
  private static final int USUAL_COLUMNS = 80;

  /** Those of this process. */
  static Streams ofProcess() {
    Properties properties = System.getProperties();
    return new Streams(
        new PrintWriter(System.out, true, Charset.defaultCharset()),
        new PrintWriter(System.err, true, Charset.defaultCharset()),
        isTerminal(properties),
        columns(properties.getProperty("mortise.columns")),
        colours(properties, System.getenv()));
  }

  private static boolean isTerminal(Properties properties) {
    return Boolean.parseBoolean(properties.getProperty("mortise.terminal"));
  }

  static int columns(@Nullable String told) {
    boolean known = told != null && told.matches("[1-9]\\d{0,3}");
    return known ? Integer.parseInt(told) : USUAL_COLUMNS;
  }

  /** Only where both streams are terminals, and nobody has set NO_COLOR (no-color.org). */
  static boolean colours(Properties properties, Map<String, String> environment) {
    return isTerminal(properties)
        && Boolean.parseBoolean(properties.getProperty("mortise.terminal.out"))
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }
}
