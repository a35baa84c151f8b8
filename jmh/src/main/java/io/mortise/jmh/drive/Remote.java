package io.mortise.jmh.drive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM of the bench, from the side of the process that started it. It reports its steps line
 * by line, and waits for an order before each. Not thread-safe.
 */
public final class Remote implements AutoCloseable {
  private final String program;
  private final Process process;
  private final BufferedReader reports;
  private final Writer orders;

  private Remote(String program, Process process) {
    this.program = program;
    this.process = process;
    reports = process.inputReader(StandardCharsets.UTF_8);
    orders = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts a JVM with this one's class path.
   *
   * @param program the class with the main method
   * @param flags of the JVM
   * @param arguments of the main method
   * @param errors where its error output goes
   * @return the started JVM
   * @throws IOException it could not be started
   */
  public static Remote start(
      Class<?> program, List<String> flags, List<String> arguments, ProcessBuilder.Redirect errors)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of(
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
    command.addAll(arguments);
    return new Remote(
        program.getSimpleName(), new ProcessBuilder(command).redirectError(errors).start());
  }

  /**
   * Waits for the report of a step.
   *
   * @param step the begin of the line
   * @return the rest of the line
   * @throws IOException the JVM has ended before
   */
  public String await(String step) throws IOException {
    for (String line = reports.readLine(); line != null; line = reports.readLine()) {
      if (line.startsWith(step)) {
        return line.substring(step.length()).strip();
      }
    }
    throw new IOException("a " + program + " ended before it was " + step);
  }

  /**
   * Sends the order for the next step.
   *
   * @throws IOException the JVM has ended
   */
  public void goOn() throws IOException {
    orders.write('\n');
    orders.flush();
  }

  /**
   * Waits until the JVM has ended by itself. A JVM that is ended before may leave a lock that it
   * retains, and the next measurement waits for its lease.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public void awaitEnd() throws InterruptedException {
    boolean unused = process.waitFor(10, TimeUnit.SECONDS);
  }

  /** Ends the JVM. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
