package io.mortise.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of the two runs.
 *
 * @param plan the plan of the demo
 * @param without the run without a lock
 * @param with the run with Mortise
 */
record Report(DemoPlan plan, WorkerGroup.Run without, WorkerGroup.Run with) {
  private static final String NOTHING = "-";

  boolean isRight() {
    return with.lost() == 0;
  }

  /** Tables of at most 80 columns, and the verdict. */
  List<String> lines() {
    List<String> lines = new ArrayList<>(runs().lines());
    lines.add("");
    lines.add(
        "%s: %s commands per operation, %s local hand-offs"
            .formatted(Phase.WITH.title(), commands(with.total()), handOffs(with.total())));
    if (with.total().failed() + with.total().lost() > 0) {
      lines.add(outage());
    }
    if (plan.processes() > 1) {
      lines.add("");
      lines.addAll(shares().lines());
    }
    lines.add("");
    lines.add(verdict());
    return lines;
  }

  /** The figures of both runs. */
  Map<String, @Nullable Object> object() {
    return Json.object(
        "plan", plan.toString(),
        "right", isRight(),
        "withoutLock", figures(without),
        "withMortise", figures(with));
  }

  private static Map<String, @Nullable Object> figures(WorkerGroup.Run run) {
    return Json.object(
        "expected", run.total().increments(),
        "counted", run.counted(),
        "lost", run.lost(),
        "perSecond", Math.round(run.perSecond()),
        "commands", run.total().commands());
  }

  private Table runs() {
    return new Table(1, "run", "expected", "counted", "lost", "operations/s")
        .row(row(Phase.WITHOUT, without))
        .row(row(Phase.WITH, with));
  }

  private static String[] row(Phase phase, WorkerGroup.Run run) {
    return new String[] {
      phase.title(),
      number(run.total().increments()),
      number(run.counted()),
      number(run.lost()),
      number(Math.round(run.perSecond()))
    };
  }

  /** How often each process got the lock: the fairness between processes. */
  private Table shares() {
    Table table =
        new Table(
            2,
            "process",
            "backend",
            "with Mortise",
            "share",
            "commands/operation",
            "local hand-offs");
    for (int i = 0; i < with.parts().size(); i++) {
      Tally part = with.parts().get(i);
      table.row(
          String.valueOf(i + 1),
          plan.backends().get(i),
          number(part.increments()),
          percent(part.increments(), with.total().increments()),
          commands(part),
          handOffs(part));
    }
    return table;
  }

  /** What a failover has cost. */
  private String outage() {
    Tally all = with.total();
    return String.format(
        Locale.ROOT,
        "%s: longest pause %.1f s, %s attempts without a master, %s holds lost",
        Phase.WITH.title(),
        all.pause() / 1e3,
        number(all.failed()),
        number(all.lost()));
  }

  private String verdict() {
    if (!isRight() && with.total().lost() > 0) {
      return "%s increments were lost, because a failover lost %s holds that no replica had yet. replicaAcks makes that rare (docs/operating.md#let-replicas-confirm)."
          .formatted(number(with.lost()), number(with.total().lost()));
    }
    if (!isRight()) {
      return "WRONG: with Mortise the counter should be %s and is %s. The lock failed to exclude other workers. Please report this with the command you ran."
          .formatted(number(with.total().increments()), number(with.counted()));
    }
    if (without.lost() == 0) {
      return "No increment was lost, neither with Mortise nor without a lock, this time. With more"
          + " workers, processes or seconds, increments overlap.";
    }
    return "Without a lock %s of the increments were lost; with Mortise none."
        .formatted(percent(without.lost(), without.total().increments()));
  }

  private static String commands(Tally tally) {
    return tally.increments() == 0
        ? NOTHING
        : String.format(Locale.ROOT, "%.3f", (double) tally.commands() / tally.increments());
  }

  private static String handOffs(Tally tally) {
    return percent(tally.handedOver(), tally.acquired());
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? NOTHING : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
