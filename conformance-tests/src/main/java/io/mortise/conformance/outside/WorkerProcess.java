package io.mortise.conformance.outside;

import io.mortise.conformance.support.Await;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The parent's side of a {@link Worker}: starts, freezes and ends the process. */
final class WorkerProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 150;

  private final WorkerOrders orders;
  private final Process process;

  /** Ends the process, even a frozen one, if this JVM ends before the run. */
  private final Thread atExit;

  private WorkerProcess(WorkerOrders orders, Process process) {
    this.orders = orders;
    this.process = process;
    atExit = new Thread(process::destroyForcibly, "worker-shutdown");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Starts a JVM of the same version with the same class path. */
  static WorkerProcess start(WorkerOrders orders) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    command.add("-Dorg.slf4j.simpleLogger.showDateTime=true");
    command.add(Worker.class.getName());
    command.addAll(orders.toArguments());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.redirectError(orders.folder().resolve(orders.name() + ".err").toFile());
    try {
      return new WorkerProcess(orders, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String name() {
    return orders.name();
  }

  WorkerOrders orders() {
    return orders;
  }

  /**
   * Waits until its services are open, and checks that both processes have the same clock.
   *
   * @throws IllegalStateException the services do not open, or the clocks differ
   */
  void awaitReady() {
    try {
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      if (!Worker.READY.equals(out.readLine())) {
        throw new IllegalStateException(this + " did not open its services; see its .err file");
      }
      long before = System.nanoTime() - orders.origin();
      tell(Worker.TIME);
      long said = Long.parseLong(String.valueOf(out.readLine()));
      long after = System.nanoTime() - orders.origin();
      if (said < before || said > after) {
        throw new IllegalStateException(
            "System.nanoTime of %s is not ours: %d is not within %d and %d"
                .formatted(this, said, before, after));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void tell(String order) throws IOException {
    BufferedWriter in = process.outputWriter(StandardCharsets.UTF_8);
    in.write(order + '\n');
    in.flush();
  }

  void pause() {
    signal("-STOP");
  }

  void resume() {
    signal("-CONT");
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a run is never interrupted", e);
    }
  }

  /** Asks it to acquire each lock once more, and to end. */
  void finish() {
    try {
      tell(Worker.FINISH);
    } catch (IOException e) {
      // It has ended. The wait for its end reports how.
    }
  }

  /** Waits for its end. Returns an empty text, or the error. */
  String awaitEnd() {
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        signal("-QUIT"); // prints stack traces
        TimeUnit.SECONDS.sleep(1);
        return "did not end within " + PATIENCE_SECONDS + " s";
      }
      return process.exitValue() == 0 ? "" : "ended with exit code " + process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException("a run is never interrupted", e);
    }
  }

  /** Ends the process at once, frozen or not. */
  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    process.destroyForcibly();
    Await.until("the process ends", Duration.ofSeconds(60), () -> !process.isAlive());
  }

  @Override
  public String toString() {
    return name() + " (process " + process.pid() + ')';
  }
}
