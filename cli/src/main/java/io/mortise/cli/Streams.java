package io.mortise.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of a command. The start script describes the terminal in system properties, because
 * the JVM can tell neither stdout from stderr nor their width.
 *
 * @param out results
 * @param err progress and errors
 * @param terminal whether {@code err} is a terminal, which can redraw a line
 * @param columns the width of that terminal
 * @param colours whether help may be coloured
 */
record Streams(PrintWriter out, PrintWriter err, boolean terminal, int columns, boolean colours) {
  private static final int USUAL_COLUMNS = 80;

  /** The outputs of this process. */
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

  /** Allowed only if both streams are terminals and NO_COLOR is not set (no-color.org). */
  static boolean colours(Properties properties, Map<String, String> environment) {
    return isTerminal(properties)
        && Boolean.parseBoolean(properties.getProperty("mortise.terminal.out"))
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }
}
