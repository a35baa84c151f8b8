package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Deadlock;
import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Loss;
import io.mortise.cli.jfr.Recorded.Sample;
import io.mortise.cli.jfr.Recorded.Wait;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The events of locks in the recordings of several processes. A process has the name of its file.
 * Two recordings of one process count as one, and what both have counts once.
 */
public final class Recordings {
  /** Is told how far the reading is. */
  public interface Watcher {
    /**
     * Called after each thousand events.
     *
     * @param file the file that is read
     * @param events how many of its events have been read
     */
    void read(Path file, long events);
  }

  private final Map<Path, String> processes = new LinkedHashMap<>();
  private final Map<String, String> processOfClient = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();
  private final Set<Wait> waits = new LinkedHashSet<>();
  private final Set<Hold> holds = new LinkedHashSet<>();
  private final Set<Loss> losses = new LinkedHashSet<>();
  private final Set<Deadlock> deadlocks = new LinkedHashSet<>();
  private final Set<Sample> samples = new LinkedHashSet<>();
  private final Set<Wait> openWaits = new LinkedHashSet<>();
  private final Set<Hold> openHolds = new LinkedHashSet<>();
  private long shortestHold;

  private Recordings() {}

  /**
   * Reads the files.
   *
   * @param files at least one
   * @throws IOException one of them is missing, or is no recording
   */
  public static Recordings read(List<Path> files, Watcher watcher) throws IOException {
    Recordings all = new Recordings();
    for (Path file : new LinkedHashSet<>(files)) {
      String own = all.freeName(file);
      EventReader events = new EventReader(own);
      String trouble = new RecordingReader(file, watcher).read(events);
      if (trouble != null) {
        all.warnings.add(trouble);
      }
      if (events.isEmpty()) {
        all.warnings.add(
            file + " has no events of locks; its process did not use Mortise, or nobody waited");
      }
      all.add(file, events);
    }
    return all;
  }

  private String freeName(Path file) {
    String name = String.valueOf(file.getFileName()).replaceFirst("\\.jfr$", "");
    String free = name;
    for (int i = 2; processes.containsValue(free); i++) {
      free = name + '#' + i;
    }
    return free;
  }

  private void add(Path file, EventReader events) {
    String process =
        events.clients().stream()
            .map(processOfClient::get)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(events.process());
    events.clients().forEach(client -> processOfClient.putIfAbsent(client, process));
    processes.put(file, process);
    shortestHold = Math.max(shortestHold, events.shortestHold());
    for (Wait each : events.waits()) {
      (each.outcome().equals(Recorded.LASTS) ? openWaits : waits)
          .add(
              new Wait(
                  each.span().in(process),
                  each.outcome(),
                  each.via(),
                  each.holder(),
                  each.stack()));
    }
    for (Hold each : events.holds()) {
      (each.end().equals(Recorded.LASTS) ? openHolds : holds)
          .add(
              new Hold(
                  each.span().in(process), each.end(), each.via(), each.holder(), each.stack()));
    }
    for (Loss each : events.losses()) {
      losses.add(new Loss(each.span().in(process), each.holder(), each.cause(), each.reason()));
    }
    for (Deadlock each : events.deadlocks()) {
      deadlocks.add(new Deadlock(each.by().in(process), each.at(), each.parties()));
    }
    for (Sample each : events.samples()) {
      samples.add(new Sample(process, each.lock(), each.server(), each.sent(), each.replied()));
    }
  }

  /** Whether no recording has an event of a lock. */
  public boolean isEmpty() {
    return waits.isEmpty()
        && holds.isEmpty()
        && losses.isEmpty()
        && openWaits.isEmpty()
        && openHolds.isEmpty();
  }

  /** What could not be read, one line each. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** The files, with the names of their processes. */
  Map<Path, String> processes() {
    return processes;
  }

  Set<Wait> waits() {
    return waits;
  }

  Set<Hold> holds() {
    return holds;
  }

  Set<Loss> losses() {
    return losses;
  }

  Set<Deadlock> deadlocks() {
    return deadlocks;
  }

  Set<Sample> samples() {
    return samples;
  }

  /** Waits that were seen at the begin or end of a chunk. The event of the whole may be there. */
  Set<Wait> openWaits() {
    return openWaits;
  }

  /** Holds that were seen at the begin or end of a chunk, as {@link #openWaits}. */
  Set<Hold> openHolds() {
    return openHolds;
  }

  /** Holds that last shorter are in no recording (ns). */
  public long shortestHold() {
    return shortestHold;
  }
}
