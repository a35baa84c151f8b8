package io.mortise.rivals;

import io.mortise.rivals.Finding.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The table, and what one has to know to read it, as Markdown. */
final class Report {
  private static final String[] HEAD = {
    "# Mortise and Redisson, side by side",
    "",
    "Written by `./mortise rivals` on %s; every figure and every verdict is from that run.",
    "It needs a `redis-server` on the `PATH`, Maven and about four minutes; another path may be given as an argument.",
    "",
    "Measured: %s.",
    "%s.",
    "",
    "- In the first table only the plain lock is compared: reentrant, exclusive, unfair. Each library has a server of its own for each",
    "  case, started alike; both have the same lease and the same command timeout (a third of the lease, at most 2 s).",
    "  All else is at its default; Mortise runs on Jedis. The lease is 3 s unless a case says otherwise, so that the run",
    "  is short: with the default of 30 s, times that depend on a lease are ten times as long.",
    "- *ok* and *defect* say whether what was seen is what the case's sentence asks for, in this run. A race may go",
    "  well in one run and not in the next; and what is against the sentence may be as its authors want it.",
    "- Connections are broken and held up by a proxy between client and server.",
    "",
  };
  private static final String[] COSTS = {
    "",
    "## Commands per operation",
    "By `INFO commandstats`, without `PING`: all that the server ran, the commands inside scripts too; and the scripts",
    "alone (`EVALSHA`), each of which is one round trip. Redisson sends more beside them: a `DEL` after every unlock, and",
    "`SUBSCRIBE` and `UNSUBSCRIBE` around a wait. Mortise does more inside its scripts when somebody waits: the queue.",
    "Redisson's multi lock and red lock take their members one by one, Mortise asks for them at the same time.",
    "",
  };
  private static final String[] TAIL = {
    "",
    "## Not compared",
    "- Faults and leases of the other kinds of lock, asynchronous calls, and what Mortise does not have: spin locks,",
    "  semaphores, latches.",
    "- What needs a cluster or replicas: one hung master among several, waiting for replicas, failover. Mortise",
    "  refuses such servers, Redisson does not.",
    "- Speed: milliseconds belong to the machine. The commands that are counted do not.",
    "",
  };

  private final List<String> parties;
  private final List<String> rows = new ArrayList<>();
  private int faults;
  private final List<List<Finding>> all = new ArrayList<>();

  Report(List<String> parties) {
    this.parties = parties;
  }

  void add(Case each, List<Finding> findings) {
    List<String> cells = new ArrayList<>();
    cells.add(String.valueOf(rows.size() + 1));
    cells.add(each.sentence());
    findings.forEach(finding -> cells.add(finding.marked().replace("|", "\\|")));
    rows.add(row(cells));
    all.add(findings);
  }

  /** What is added from here on is in the table of commands. */
  void costs() {
    faults = rows.size();
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

  private static String row(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  private static Stream<String> table(List<String> titles, List<String> rows) {
    Stream<String> head = Stream.of(row(titles), "|--:" + "|---".repeat(titles.size() - 1) + "|");
    return Stream.concat(head, rows.stream());
  }

  String text(String date, String measured) {
    List<String> titles = new ArrayList<>(List.of("", "case"));
    titles.addAll(parties);
    List<String> lines =
        Stream.of(
                Stream.of(
                    String.join("\n", HEAD)
                        .formatted(date, measured, String.join("; ", summary()))),
                table(titles, rows.subList(0, faults)),
                Stream.of(COSTS),
                table(titles, rows.subList(faults, rows.size())),
                Stream.of(TAIL))
            .flatMap(part -> part)
            .toList();
    return String.join("\n", lines);
  }
}
