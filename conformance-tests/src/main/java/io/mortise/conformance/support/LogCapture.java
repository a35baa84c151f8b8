package io.mortise.conformance.support;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What is written to the standard error stream, as the log is, until the end of this capture. */
public final class LogCapture implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private LogCapture() {}

  /** A capture that begins now. */
  public static LogCapture start() {
    LogCapture capture = new LogCapture();
    System.setErr(new PrintStream(capture.said, true, StandardCharsets.UTF_8));
    return capture;
  }

  /** Whether the log goes there, down to warnings. */
  public static boolean isPrinted() {
    String level = System.getProperty("org.slf4j.simpleLogger.defaultLogLevel", "info");
    try {
      return Class.forName("org.slf4j.simple.SimpleLogger") != null && !level.equals("off");
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** All of it so far. */
  public String text() {
    return said.toString(StandardCharsets.UTF_8);
  }

  /** Its lines so far that contain this. */
  public List<String> lines(String part) {
    return text().lines().filter(line -> line.contains(part)).toList();
  }

  /** Forgets what was written so far. */
  public void clear() {
    said.reset();
  }

  @Override
  public void close() {
    System.setErr(before);
  }
}
