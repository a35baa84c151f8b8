package io.mortise.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The other end of a {@link ChildProcess}. Its first input line is the URI. Each further line is a
 * run. At the end of the input its parent is done or gone.
 */
@Command(name = DemoProcess.NAME, hidden = true, description = "One process of the demo.")
final class DemoProcess implements Callable<Integer> {
  static final String NAME = "demo-process";
  static final String READY = "ready";
  static final String SO_FAR = "so-far";
  static final String DONE = "done";
  static final String FAILED = "failed";

  private static final long REPORT_MILLIS = 100;

  private final Streams streams;
  private final InputStream input;
  private final ScheduledExecutorService reporter =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "mortise-demo-reporter");
        thread.setDaemon(true);
        return thread;
      });

  @Option(names = "--backend", required = true)
  private String backend = "";

  @Option(names = "--lock", required = true)
  private String lockName = "";

  @Option(names = "--kind", required = true)
  private String kind = "";

  @Option(names = "--retain", required = true)
  private long retain;

  @Option(names = "--counter", required = true)
  private Path counterFolder = Path.of("");

  @Option(names = "--workers", required = true)
  private int workers;

  DemoProcess(Streams streams, InputStream input) {
    this.streams = streams;
    this.input = input;
  }

  @Override
  public Integer call() throws IOException {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    String uri = orders.readLine();
    if (uri == null) {
      return 0;
    }
    CounterFile file = new CounterFile(counterFolder);
    LocalParty.Site site =
        new LocalParty.Site(
            URI.create(uri), backend, lockName, DemoLock.named(kind), Duration.ofMillis(retain));
    try (LocalParty party = LocalParty.open(site, Counter.inFile(file.path()), workers)) {
      say(READY);
      for (String line = orders.readLine(); line != null; line = orders.readLine()) {
        String[] words = line.split(" ", 2);
        begin(party, Phase.valueOf(words[0]), Duration.parse(words[1]));
      }
      file.delete();
      return 0;
    } catch (RuntimeException e) {
      sayFailed(e);
      return Failure.of(e).exitCode();
    }
  }

  private void begin(LocalParty party, Phase phase, Duration duration) {
    CompletableFuture<Tally> run = party.start(phase, duration);
    Future<?> reports =
        reporter.scheduleAtFixedRate(
            () -> say(SO_FAR + ' ' + party.soFar().text()),
            REPORT_MILLIS,
            REPORT_MILLIS,
            TimeUnit.MILLISECONDS);
    CompletableFuture<?> unused =
        run.whenComplete((tally, failure) -> {
          reports.cancel(false);
          if (failure == null) {
            say(DONE + ' ' + tally.text());
          } else {
            sayFailed(failure);
          }
        });
  }

  private void sayFailed(Throwable thrown) {
    Failure failure = Failure.of(thrown);
    say(FAILED + ' ' + failure.exitCode() + ' ' + failure.getMessage());
  }

  private void say(String line) {
    streams.out().println(line);
    streams.out().flush();
  }
}
