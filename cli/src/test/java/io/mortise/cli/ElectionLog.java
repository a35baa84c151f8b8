package io.mortise.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges an election by the logs of its processes and of the test that stops and kills them. It
 * uses no class of Mortise. The lines are
 *
 * <pre>
 * asked PID BEFORE AFTER LEADS TERM     the answer of isLeader(), and the times around the question
 * elected PID AT TERM                   a callback
 * revoked PID AT TERM                   a callback
 * killed, stopped, continued, forced PID AT
 * </pre>
 *
 * <p>A <em>reign</em> is the time in which a process certainly led: from after its first yes to
 * before its last one. Two reigns that overlap did overlap. All times are {@link System#nanoTime}.
 */
final class ElectionLog {
  /** A term of a process, by its answers. */
  private static final class Reign {
    final String process;
    final long term;
    final long from;
    long until;

    Reign(String process, long term, long from) {
      this.process = process;
      this.term = term;
      this.from = from;
      until = from;
    }

    @Override
    public String toString() {
      return "process %s in term %d, from %d to %d ms"
          .formatted(process, term, from / 1_000_000, until / 1_000_000);
    }
  }

  /** Something that the test did to a process. */
  private record Fault(String verb, String process, long at) {}

  private final long lease;
  private final long bound;
  private final Map<Long, List<Reign>> reigns = new HashMap<>();
  private final List<Fault> faults = new ArrayList<>();
  private final Map<String, List<String>> told = new LinkedHashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private final List<Duration> gaps = new ArrayList<>();

  /**
   * @param bound how much longer than the lease it may take until the next one leads
   */
  ElectionLog(List<String> lines, Duration lease, Duration bound) {
    this.lease = lease.toNanos();
    this.bound = bound.toNanos();
    lines.forEach(this::read);
  }

  private void read(String line) {
    String[] words = line.split(" ", -1);
    String process = words[1];
    long at = Long.parseLong(words[2]);
    switch (words[0]) {
      case "asked" -> {
        long term = Long.parseLong(words[5]);
        if (Boolean.parseBoolean(words[4]) && term != 0) {
          answered(process, term, at, Long.parseLong(words[3]));
        }
      }
      case "elected" -> hears(process, "elected", Long.parseLong(words[3]));
      case "revoked" -> hears(process, "revoked", Long.parseLong(words[3]));
      default -> faults.add(new Fault(words[0], process, at));
    }
  }

  private void answered(String process, long term, long before, long after) {
    List<Reign> known = reigns.computeIfAbsent(term, key -> new ArrayList<>());
    for (Reign each : known) {
      if (each.process.equals(process)) {
        each.until = Math.max(each.until, before);
        return;
      }
    }
    known.add(new Reign(process, term, after));
  }

  private void hears(String process, String what, long term) {
    List<String> before = told.computeIfAbsent(process, key -> new ArrayList<>());
    boolean right =
        what.equals("elected")
            ? before.isEmpty() || before.get(before.size() - 1).startsWith("revoked")
            : !before.isEmpty() && before.get(before.size() - 1).equals("elected " + term);
    if (!right) {
      wrong.add("process %s: %s %d after %s".formatted(process, what, term, before));
    }
    before.add(what + ' ' + term);
  }

  /** What was wrong; empty if nothing was. */
  List<String> violations() {
    List<Reign> all =
        reigns.values().stream()
            .flatMap(List::stream)
            .sorted(Comparator.comparingLong(each -> each.from))
            .toList();
    for (int i = 1; i < all.size(); i++) {
      follow(all.get(i - 1), all.get(i));
    }
    faults.forEach(each -> judge(each, all));
    return wrong;
  }

  private void follow(Reign first, Reign second) {
    if (second.from < first.until) {
      wrong.add("two leaders: " + first + ", and " + second);
    }
    if (second.term <= first.term) {
      wrong.add("the term does not rise: " + first + ", then " + second);
    }
  }

  private void judge(Fault fault, List<Reign> all) {
    Reign led = null;
    for (Reign each : all) {
      led = each.process.equals(fault.process) && each.from <= fault.at ? each : led;
    }
    if (led == null) {
      wrong.add("nobody led at " + fault);
      return;
    }
    if (fault.verb.equals("continued")) {
      believes(fault, led);
    } else {
      next(fault, led, all);
    }
  }

  /** A process that goes on after its lease was over does not lead any more. */
  private void believes(Fault continued, Reign led) {
    if (led.until > continued.at) {
      wrong.add("still led after %s: %s".formatted(continued, led));
    }
  }

  private void next(Fault fault, Reign led, List<Reign> all) {
    long longest = fault.verb.equals("forced") ? bound : lease + bound;
    long next =
        all.stream()
            .filter(each -> each.term > led.term)
            .mapToLong(each -> each.from - fault.at)
            .findFirst()
            .orElse(Long.MAX_VALUE);
    if (next > longest) {
      wrong.add("no next leader within %d ms after %s".formatted(longest / 1_000_000, fault));
    } else {
      gaps.add(Duration.ofNanos(next));
    }
  }

  /** How long it took after each fault until the next one led. */
  List<Duration> gaps() {
    return gaps;
  }

  /** How many terms there were. */
  int terms() {
    return reigns.size();
  }
}
