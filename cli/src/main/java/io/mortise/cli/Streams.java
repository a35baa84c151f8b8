package io.mortise.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * @param colours whether output may be coloured
 * @param outTerminal whether {@code out} is a terminal, for which lines are cut
 */
record Streams(
    PrintWriter out,
    PrintWriter err,
    boolean terminal,
    int columns,
    boolean colours,
    boolean outTerminal) {
  private static final int USUAL_COLUMNS = 80;
  private static final String TERMINAL = "mortise.terminal";
  private static final String TERMINAL_OUT = "mortise.terminal.out";

  /** The outputs of this process. */
  static Streams ofProcess() {
    Properties properties = System.getProperties();
    detect(properties, TERMINAL, 2);
    detect(properties, TERMINAL_OUT, 1);
    boolean seen = isTerminal(properties) || isSet(properties, TERMINAL_OUT);
    String told = properties.getProperty("mortise.columns");
    return new Streams(
        Output.to(new FileOutputStream(FileDescriptor.out)),
        new PrintWriter(System.err, true, Charset.defaultCharset()),
        isTerminal(properties),
        seen && told == null ? Terminal.size(USUAL_COLUMNS).columns() : columns(told),
        colours(properties, System.getenv()),
        isSet(properties, TERMINAL_OUT));
  }

  /** Without the start script, Linux tells where a stream leads. */
  private static void detect(Properties properties, String name, int descriptor) {
    if (properties.getProperty(name) == null) {
      properties.setProperty(name, String.valueOf(leadsToTerminal(descriptor)));
    }
  }

  private static boolean leadsToTerminal(int descriptor) {
    try {
      Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
      return target.toString().matches("/dev/(pts/\\d+|tty.*|console)");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static boolean isTerminal(Properties properties) {
    return isSet(properties, TERMINAL);
  }

  private static boolean isSet(Properties properties, String name) {
    return Boolean.parseBoolean(properties.getProperty(name));
  }

  /** These without progress and errors. */
  Streams silent() {
    PrintWriter nothing = new PrintWriter(Writer.nullWriter());
    return new Streams(out, nothing, false, columns, colours, outTerminal);
  }

  /** The width for results: that of the terminal, or no limit. */
  int outColumns() {
    return outTerminal ? columns : Integer.MAX_VALUE;
  }

  static int columns(@Nullable String told) {
    boolean known = told != null && told.matches("[1-9]\\d{0,3}");
    return known ? Integer.parseInt(told) : USUAL_COLUMNS;
  }

  /** Allowed only if both streams are terminals and NO_COLOR is not set (no-color.org). */
  static boolean colours(Properties properties, Map<String, String> environment) {
    return isTerminal(properties)
        && isSet(properties, TERMINAL_OUT)
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }
}
