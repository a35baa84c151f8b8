package io.mortise.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/** All parties of the demo, and the counter that they share. */
final class WorkerGroup implements AutoCloseable {
  private static final double NANOS = 1e9;

  private final Counter counter;
  private final List<? extends DemoParty> parties;
  private final Runnable end;

  private WorkerGroup(Counter counter, List<? extends DemoParty> parties, Runnable end) {
    this.counter = counter;
    this.parties = parties;
    this.end = end;
  }

  /** Uses threads of this process if the plan has one process, otherwise child processes. */
  static WorkerGroup assemble(DemoPlan plan) {
    String lockName = "mortise-demo-" + UUID.randomUUID();
    if (plan.processes() > 1) {
      Children children = Children.start(plan, lockName);
      return new WorkerGroup(children.counter(), children.processes(), children::close);
    }
    Counter counter = Counter.inMemory();
    LocalParty.Site site =
        new LocalParty.Site(
            plan.uri(), plan.backends().get(0), lockName, plan.kind(), plan.retain());
    LocalParty party = LocalParty.open(site, counter, plan.workers());
    return new WorkerGroup(counter, List.of(party), party::close);
  }

  /**
   * One run from zero.
   *
   * @param parts the tally of each party
   * @param counted the counter's value at the end
   * @param elapsed the time until the last worker was done
   */
  record Run(List<Tally> parts, long counted, Duration elapsed) {
    Tally total() {
      return Tally.sum(parts);
    }

    long lost() {
      return total().increments() - counted;
    }

    double perSecond() {
      return total().increments() * NANOS / elapsed.toNanos();
    }
  }

  /** Starts all workers together for the given time, and shows their progress. */
  Run run(Phase phase, Duration duration, Progress progress) {
    counter.write(0);
    long start = System.nanoTime();
    Reports reports =
        new Reports(parties.stream().map(party -> party.start(phase, duration)).toList());
    try {
      while (!reports.await(progress.pace())) {
        show(progress, phase, start, duration);
      }
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      show(progress, phase, start, duration);
      return new Run(reports.tallies(), counter.read(), elapsed);
    } finally {
      progress.end();
    }
  }

  private void show(Progress progress, Phase phase, long start, Duration duration) {
    long increments = Tally.sum(parties.stream().map(DemoParty::soFar).toList()).increments();
    double seconds = (System.nanoTime() - start) / NANOS;
    long all = duration.toSeconds();
    progress.show(
        String.format(
            Locale.ROOT,
            "%-15s %5.1f of %d s  %,15d increments  %,12.0f/s",
            phase.title(),
            seconds,
            all,
            increments,
            increments / seconds),
        String.format(
            Locale.ROOT, "%s %.0f/%d s %s", phase.title(), seconds, all, brief(increments)));
  }

  /** The number in at most eight characters. */
  static String brief(long number) {
    if (number < 100_000) {
      return String.format(Locale.ROOT, "%,d", number);
    }
    return number < 100_000_000
        ? String.format(Locale.ROOT, "%.1f M", number / 1e6)
        : String.format(Locale.ROOT, "%.1f G", number / 1e9);
  }

  @Override
  public void close() {
    end.run();
  }
}
