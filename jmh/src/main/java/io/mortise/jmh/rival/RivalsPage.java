package io.mortise.jmh.rival;

import io.mortise.jmh.report.Markdown;
import io.mortise.jmh.rival.Finding.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The page: the tables and the notes for their reader, as Markdown. */
final class RivalsPage {
  private static final String[] HEAD = {
    "# Mortise and Redisson, side by side",
    "",
    "`./mortise rivals` wrote this page on %s. Every figure and every verdict is from that run.",
    "The run needs a `redis-server` on the `PATH`, Maven and about four minutes. An argument sets another file.",
    "[Comparison](comparison.md) has all other libraries, by their documentation.",
    "",
    "Measured: %s.",
    "%s.",
    "",
    "- The first table compares only the plain lock: reentrant, exclusive, unfair.",
    "- Each library has a server of its own for each case, and all servers start alike.",
    "- Both libraries have the same lease and the same command timeout (a third of the lease, at most 2 s).",
    "- Everything else is at its default. Mortise runs on Jedis.",
    "- The lease is 3 s unless a case says otherwise, so that the run is short.",
    "- With the default lease of 30 s, times that depend on a lease are ten times as long.",
    "- *ok* and *defect* say whether this run did what the sentence of the case asks for.",
    "- A race may go well in one run and not in the next.",
    "- The authors of a library may want a behaviour that this page calls a defect.",
    "- A proxy between client and server breaks connections and holds them up.",
    "",
  };
  private static final String[] COSTS = {
    "",
    "## Commands per operation",
    "The first number counts all commands that the server ran, those inside scripts too.",
    "It is from `INFO commandstats`, without `PING`.",
    "The second number counts the scripts alone (`EVALSHA`), each of which is one round trip.",
    "",
    "- Redisson sends more beside its scripts: a `DEL` after every unlock, and `SUBSCRIBE` and `UNSUBSCRIBE`",
    "  around a wait.",
    "- Mortise does more inside its scripts when a client waits: the queue.",
    "- Redisson's multi-lock and Redlock take their members one by one. Mortise asks for them at the same time.",
    "",
  };
  private static final String[] TAIL = {
    "",
    "## Not compared",
    "- Faults and leases of the other kinds of lock, semaphores and latches, and asynchronous calls.",
    "- Spin locks, which Mortise does not have.",
    "- Cases that need a cluster or replicas: one hung master among several, waiting for replicas, failover.",
    "- Speed is left out: timings depend on the machine, command counts do not.",
    "  [Performance](performance.md) has ratios.",
    "",
  };

  private final List<String> parties;
  private final Markdown faults;
  private final Markdown costs;
  private boolean atCosts;
  private int cases;
  private final List<List<Finding>> all = new ArrayList<>();

  RivalsPage(List<String> parties) {
    this.parties = parties;
    faults = table();
    costs = table();
  }

  private Markdown table() {
    List<String> titles = new ArrayList<>(List.of("", "case"));
    titles.addAll(parties);
    List<String> sets = new ArrayList<>(Collections.nCopies(titles.size(), "---"));
    sets.set(0, "--:");
    return new Markdown(titles, sets);
  }

  void add(Case each, List<Finding> findings) {
    cases++;
    List<String> cells = new ArrayList<>(List.of(String.valueOf(cases), each.sentence()));
    findings.forEach(finding -> cells.add(finding.marked()));
    (atCosts ? costs : faults).add(cells.toArray(String[]::new));
    all.add(findings);
  }

  /** Begins the table of commands: all cases from here on are in it. */
  void costs() {
    atCosts = true;
  }

  /** One line for each party. */
  List<String> summary() {
    return IntStream.range(0, parties.size())
        .mapToObj(i ->
            "%s: %d ok, %d defects, %d not measured"
                .formatted(
                    parties.get(i),
                    count(i, Verdict.FINE),
                    count(i, Verdict.DEFECT),
                    count(i, Verdict.UNKNOWN)))
        .toList();
  }

  boolean isComplete() {
    return IntStream.range(0, parties.size()).allMatch(i -> count(i, Verdict.UNKNOWN) == 0);
  }

  private long count(int party, Verdict verdict) {
    return all.stream().filter(findings -> findings.get(party).verdict() == verdict).count();
  }

  String text(String date, String measured) {
    List<String> lines = new ArrayList<>();
    String head = String.join("\n", HEAD);
    lines.add(head.formatted(date, measured, String.join(".\n", summary())));
    lines.addAll(faults.lines());
    lines.addAll(List.of(COSTS));
    lines.addAll(costs.lines());
    lines.addAll(List.of(TAIL));
    return String.join("\n", lines);
  }
}
