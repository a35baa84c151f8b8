package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Order.Busy;
import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Sample;
import io.mortise.cli.jfr.Recorded.Span;
import io.mortise.cli.jfr.Recorded.Wait;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The clocks of all processes. A cluster has a clock for each master, and a lock has one master. So
 * the samples of a lock come first, then those of all locks of the process, and then the order of
 * its holds.
 */
final class Clocks {
  private final Map<String, List<Sample>> byProcess = new HashMap<>();
  private final Map<String, Clock> clocks = new HashMap<>();
  private final Map<String, Clock> ordered = new HashMap<>();

  Clocks(Recordings recordings) {
    this(recordings.samples());
    Set<String> without = new TreeSet<>(recordings.processes().values());
    without.removeAll(byProcess.keySet());
    Map<String, Map<String, List<Busy>>> own = new HashMap<>();
    Map<String, List<Busy>> others = new HashMap<>();
    for (Hold each : recordings.holds()) {
      Span span = each.span();
      if (span.isExclusive() && without.contains(span.by().process())) {
        own.computeIfAbsent(span.by().process(), name -> new HashMap<>())
            .computeIfAbsent(span.lock(), name -> new ArrayList<>())
            .add(new Busy(span.begin(), span.end()));
      } else if (span.isExclusive()) {
        addBusy(others, span, span.begin());
      }
    }
    for (Wait each : recordings.waits()) {
      Span span = each.span();
      if (each.isAcquired() && span.isExclusive() && !without.contains(span.by().process())) {
        addBusy(others, span, span.end());
      }
    }
    for (String process : without) {
      Order order = new Order();
      own.getOrDefault(process, Map.of())
          .forEach((lock, holds) -> order.add(holds, others.getOrDefault(lock, List.of())));
      ordered.put(process, Clock.fixed(order.offset()));
    }
  }

  Clocks(Iterable<Sample> samples) {
    for (Sample each : samples) {
      byProcess.computeIfAbsent(each.process(), name -> new ArrayList<>()).add(each);
    }
  }

  private void addBusy(Map<String, List<Busy>> to, Span span, long begin) {
    Clock clock = of(span.by().process(), span.lock());
    to.computeIfAbsent(span.lock(), name -> new ArrayList<>())
        .add(new Busy(clock.toServer(begin), clock.toServer(span.end())));
  }

  /** Whether no process has a time of the server. */
  boolean areUnknown() {
    return byProcess.isEmpty();
  }

  Clock of(String process, String lock) {
    Clock known = ordered.get(process);
    return known != null
        ? known
        : clocks.computeIfAbsent(process + '\0' + lock, key -> find(process, lock));
  }

  private Clock find(String process, String lock) {
    List<Sample> all = byProcess.getOrDefault(process, List.of());
    List<Sample> own = all.stream().filter(each -> each.lock().equals(lock)).toList();
    if (all.isEmpty()) {
      return Clock.fixed(new Clock.Offset(0, Clock.Offset.UNKNOWN));
    }
    return Clock.of(own.isEmpty() ? all : own);
  }
}
