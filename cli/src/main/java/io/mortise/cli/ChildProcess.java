package io.mortise.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The workers of another process, which runs {@link DemoProcess}. Orders go to its standard input,
 * one per line. The process ends at the end of its input. Reports come from its standard output.
 */
final class ChildProcess implements DemoParty {
  private static final long PATIENCE_SECONDS = 3;

  private final String title;
  private final Process process;
  private final BufferedWriter orders;
  private final CompletableFuture<Tally> failure = new CompletableFuture<>();
  private volatile CompletableFuture<Tally> report = new CompletableFuture<>();
  private volatile Tally soFar = Tally.NONE;
  private volatile boolean closed;

  private ChildProcess(String title, Process process) {
    this.title = title;
    this.process = process;
    orders = process.outputWriter(StandardCharsets.UTF_8);
    Thread listener = new Thread(this::listen, "mortise-demo-" + title);
    listener.setDaemon(true);
    listener.start();
  }

  /**
   * Starts a process of this JVM's kind. The URI goes through the pipe, because it may hold a
   * secret and other users can read a command line.
   */
  static ChildProcess start(int number, LocalParty.Site site, CounterFile file, int workers) {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            Main.class.getName(),
            DemoProcess.NAME,
            "--backend=" + site.backend(),
            "--lock=" + site.lockName(),
            "--kind=" + site.kind().text(),
            "--retain=" + site.retain().toMillis(),
            "--counter=" + file.folder(),
            "--workers=" + workers);
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      // Not an argument: the system shows only the first page of a command line.
      builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
      Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      ChildProcess child =
          new ChildProcess("process " + number + " (" + site.backend() + ')', process);
      child.order(site.uri().toString());
      return child;
    } catch (IOException e) {
      throw new UncheckedIOException("process " + number + " cannot be started", e);
    }
  }

  /** Completes when the process has opened its store. */
  CompletableFuture<Tally> ready() {
    return orFailure(report);
  }

  @Override
  public CompletableFuture<Tally> start(Phase phase, Duration duration) {
    soFar = Tally.NONE;
    CompletableFuture<Tally> next = new CompletableFuture<>();
    report = next;
    order(phase + " " + duration);
    return orFailure(next);
  }

  private CompletableFuture<Tally> orFailure(CompletableFuture<Tally> expected) {
    return expected.applyToEither(failure, Function.identity());
  }

  private void order(String line) {
    try {
      orders.write(line + '\n');
      orders.flush();
    } catch (IOException e) {
      fail(Failure.UNEXPECTED, "cannot receive orders: " + e.getMessage());
    }
  }

  private void listen() {
    try (BufferedReader reports = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reports.readLine(); line != null; line = reports.readLine()) {
        hear(line);
      }
      ended();
    } catch (IOException e) {
      fail(Failure.UNEXPECTED, "cannot send reports: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void hear(String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case DemoProcess.READY -> report.complete(Tally.NONE);
      case DemoProcess.SO_FAR -> soFar = Tally.parse(words[1]);
      case DemoProcess.DONE -> {
        soFar = Tally.parse(words[1]);
        report.complete(soFar);
      }
      case DemoProcess.FAILED -> {
        String[] failed = words[1].split(" ", 2);
        fail(Integer.parseInt(failed[0]), failed[1]);
      }
      default -> {} // another writer to that process's standard output
    }
  }

  /**
   * Reports the end of the process. Ctrl-C reaches all processes, so this process gets time to end
   * before it reports the end as an error.
   */
  private void ended() throws InterruptedException {
    int code = process.waitFor();
    if (code > 128) {
      TimeUnit.SECONDS.sleep(1);
    }
    fail(Failure.UNEXPECTED, "ended with exit code " + code);
  }

  private void fail(int exitCode, String message) {
    if (!closed) {
      failure.completeExceptionally(new Failure(exitCode, title + ": " + message, null));
    }
  }

  @Override
  public Tally soFar() {
    return soFar;
  }

  /** Ends the process at once. */
  void kill() {
    closed = true;
    process.destroyForcibly();
  }

  @Override
  public void close() {
    closed = true;
    try (orders) {
      orders.flush();
    } catch (IOException e) {
      // The process has already ended.
    }
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        kill();
      }
    } catch (InterruptedException e) {
      kill();
      Thread.currentThread().interrupt();
    }
  }
}
