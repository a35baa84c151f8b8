package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The content of all logs of a run.
 *
 * @param stays every attempt, by its begin
 * @param faults every disturbance of the run
 * @param others the lines that belong to neither
 * @param end the last moment in any log
 */
record History(List<Stay> stays, List<Fault> faults, List<LogLine> others, long end) {
  static final String FAULT = "fault";
  static final String OVER = "over";
  static final String FAULT_ID = "id";
  static final String NOTHING = "nothing";
  static final String CALLS = "calls";

  /**
   * For how long a fault may slow things down: connections are made again, and commands are
   * repeated.
   */
  static final long AFTERMATH = 3_000_000_000L;

  /**
   * How far apart two processes may log the same moment: the store acts, and a worker logs what it
   * heard. A process hears of a forced unlock by a message, and of a restart by its connection, and
   * hands nothing off after that.
   */
  static final long REPORTING = 100_000_000L;

  /**
   * For how long a thread may get a hold by hand-off after the store granted it to its process, if
   * nobody asks for it (L12). Nobody asks for a hold that the store does not have any more. So it
   * counts where the process hears nothing of the fault. Fenced holds are handed off for a shorter
   * time, which is within {@link #REPORTING}.
   */
  private static final long HANDED_OFF = 1_000_000_000L;

  /** Reads lines in any order, but keeps the order within each log. */
  static History of(List<LogLine> lines) {
    Map<String, List<LogLine>> attempts = new LinkedHashMap<>();
    Map<String, LogLine> begun = new LinkedHashMap<>();
    Map<String, LogLine> over = new TreeMap<>();
    List<LogLine> others = new ArrayList<>();
    for (LogLine line : lines) {
      if (line.verb().equals(FAULT)) {
        begun.put(line.source() + line.text(FAULT_ID), line);
      } else if (line.verb().equals(OVER)) {
        over.put(line.source() + line.text(FAULT_ID), line);
      } else if (line.find("stay") != null) {
        attempts
            .computeIfAbsent(line.source() + '/' + line.text("stay"), key -> new ArrayList<>())
            .add(line);
      } else {
        others.add(line);
      }
    }
    long end = lines.stream().mapToLong(LogLine::at).max().orElse(0);
    List<Fault> faults = new ArrayList<>();
    begun.forEach((id, line) -> {
      LogLine last = over.get(id);
      if (last == null || !last.is(NOTHING)) {
        faults.add(Fault.of(line, last == null ? end : last.at()));
      }
    });
    List<Stay> stays = new ArrayList<>(attempts.values().stream().map(Stay::of).toList());
    stays.sort((one, other) -> Long.compare(one.begin(), other.begin()));
    return new History(List.copyOf(stays), List.copyOf(faults), List.copyOf(others), end);
  }

  Iterable<String> resources() {
    return new TreeSet<>(stays.stream().flatMap(stay -> stay.resources().stream()).toList());
  }

  List<Stay> staysAt(String resource) {
    return stays.stream().filter(stay -> stay.resources().contains(resource)).toList();
  }

  Stream<Fault> faultsOf(Stay stay) {
    return faults.stream().filter(fault -> fault.touches(stay));
  }

  /** Whether a fault touched a stay between the two moments, or shortly before. */
  boolean isDisturbed(Stay stay, long from, long to) {
    return faultsOf(stay).anyMatch(fault -> fault.isWithin(from, to, AFTERMATH));
  }

  /** When the process of a stay was killed, or else the end of the run. */
  long endOfProcess(Stay stay) {
    return faults.stream()
        .filter(fault -> fault.sort() == Fault.Sort.KILL && stay.source().equals(fault.client()))
        .mapToLong(Fault::end)
        .findFirst()
        .orElse(end);
  }

  /**
   * Whether the store may have granted a hold before the end of a fault. That is so if the worker
   * asked before, and logged the hold soon after, or if another fault delayed the log, or if the
   * worker got it by hand-off.
   */
  boolean isPerhapsAcquiredBefore(Stay stay, Fault fault) {
    long reported = fault.end() + REPORTING;
    boolean asked = stay.begin() <= reported;
    return (asked && stay.entered() <= reported)
        || (asked
            && faultsOf(stay)
                .filter(other -> !other.equals(fault) && other.sort().delaysAnswers())
                .anyMatch(other -> other.isWithin(fault.begin(), stay.entered(), 0)))
        || isPerhapsHandedOff(stay, fault);
  }

  /** Whether it may be by the hold of another thread of its process, from before the fault. */
  private boolean isPerhapsHandedOff(Stay stay, Fault fault) {
    long reported = fault.end() + REPORTING;
    return stay.token() == 0
        && fault.sort().isUntold()
        && stay.entered() <= reported + HANDED_OFF
        && stays.stream()
            .filter(other -> other.source().equals(stay.source()))
            .filter(other -> other.resources().equals(stay.resources()) && !other.equals(stay))
            .anyMatch(other ->
                other.entered() <= Math.min(reported, stay.entered())
                    && stay.entered() - other.entered() <= HANDED_OFF + REPORTING);
  }
}
