package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Deadlock;
import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Loss;
import io.mortise.cli.jfr.Recorded.Place;
import io.mortise.cli.jfr.Recorded.Wait;
import io.mortise.cli.jfr.Timeline.OfLock;
import io.mortise.cli.jfr.Timeline.Timed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What happened to one lock, in the order of the server's clock. */
public final class Story {
  /** A grant and the hold that begins with it differ by less (ns). */
  private static final long SAME = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * One event.
   *
   * @param begin when, by the server's clock
   * @param end until when; the same unless it lasted
   * @param by whose it is; null if nobody's
   * @param what what happened
   * @param where the innermost frame of the application, or empty
   */
  public record Line(long begin, long end, @Nullable Place by, String what, String where) {}

  private final List<Line> lines = new ArrayList<>();
  private final Map<String, Clock.Offset> offsets = new TreeMap<>();
  private final OfLock lock;

  private Story(OfLock lock) {
    this.lock = lock;
  }

  /** The story of a lock; without lines if no recording has its name. */
  public static Story of(Timeline timeline, String name) {
    Story story = new Story(timeline.of(name));
    story.addHolds();
    story.addGaps();
    story.addDeadlocks(timeline, name);
    story.addClocks(timeline.clocks(), name);
    story.lines.sort(Comparator.comparingLong(Line::begin));
    return story;
  }

  /** All lines, the earliest first. */
  public List<Line> lines() {
    return List.copyOf(lines);
  }

  /** How far the server's clock is ahead of that of each process. */
  public Map<String, Clock.Offset> offsets() {
    return offsets;
  }

  private void addHolds() {
    Map<String, List<Timed<Wait>>> waits = new HashMap<>();
    lock.waits()
        .forEach(
            each -> waits.computeIfAbsent(each.what().holder(), id -> new ArrayList<>()).add(each));
    Set<Wait> held = new HashSet<>();
    Set<Loss> told = new HashSet<>();
    for (Timed<Hold> each : lock.holds()) {
      Timed<Wait> wait = waitOf(each, waits);
      if (wait != null) {
        held.add(wait.what());
      }
      addHold(each, wait, told);
    }
    for (Timed<Loss> each : lock.losses()) {
      if (!told.contains(each.what())) {
        add(each.end(), each.what().span().by(), lost(each.what()), List.of());
      }
    }
    for (Timed<Wait> each : lock.waits()) {
      addWait(each, held.contains(each.what()));
    }
  }

  private @Nullable Timed<Wait> waitOf(Timed<Hold> hold, Map<String, List<Timed<Wait>>> waits) {
    return waits.getOrDefault(hold.what().holder(), List.of()).stream()
        .filter(each ->
            Math.abs(each.end() - hold.begin()) < SAME
                && each.what().span().by().isSame(hold.what().span().by()))
        .findFirst()
        .orElse(null);
  }

  private void addHold(Timed<Hold> hold, @Nullable Timed<Wait> wait, Set<Loss> told) {
    Place by = hold.what().span().by();
    String after = wait == null ? "" : " after " + time(wait.end() - wait.begin());
    List<String> stack = wait == null ? hold.what().stack() : wait.what().stack();
    String own = hold.what().via(); // empty if it was seen at a dump
    String via = wait != null && own.isEmpty() ? wait.what().via() : own;
    add(hold.begin(), by, how(via) + after, stack);
    String length = time(hold.end() - hold.begin());
    switch (hold.what().end()) {
      case Recorded.LASTS ->
          add(hold.end(), by, "has held it for " + length + " when its recording ended", List.of());
      case "lost" -> {
        Loss loss = lossOf(hold.what());
        if (loss == null) {
          add(hold.end(), by, "LOST after " + length, List.of());
        } else {
          told.add(loss);
          add(hold.end(), by, lost(loss) + ", after " + length, List.of());
        }
      }
      default -> add(hold.end(), by, "released after " + length, hold.what().stack());
    }
  }

  private static String how(String via) {
    return switch (via) {
      case "store" -> "acquired from the store";
      case "granted" -> "granted";
      case "handed" -> "taken over within its process";
      default -> "acquired";
    };
  }

  private @Nullable Loss lossOf(Hold hold) {
    return lock.losses().stream()
        .map(Timed::what)
        .filter(each -> each.holder().equals(hold.holder()))
        .findFirst()
        .orElse(null);
  }

  private static String lost(Loss loss) {
    return "LOST: " + loss.cause() + ", \"" + loss.reason() + '"';
  }

  private void addWait(Timed<Wait> wait, boolean held) {
    Place by = wait.what().span().by();
    String length = time(wait.end() - wait.begin());
    add(wait.begin(), by, "waits", wait.what().stack());
    if (wait.what().outcome().equals(Recorded.LASTS)) {
      add(wait.end(), by, "still waits after " + length + " when its recording ended", List.of());
    } else if (!wait.what().isAcquired()) {
      add(wait.end(), by, wait.what().outcome() + " after " + length, List.of());
    } else if (!held) {
      String less = "; its hold is in no recording";
      add(wait.end(), by, how(wait.what().via()) + " after " + length + less, List.of());
    }
  }

  /** The times in which somebody waited, and no recording has a holder. */
  private void addGaps() {
    List<long[]> holds = union(lock.holds());
    int next = 0;
    for (long[] wait : union(lock.waits())) {
      long from = wait[0];
      while (next < holds.size() && holds.get(next)[1] <= from) {
        next++;
      }
      for (int i = next; i < holds.size() && holds.get(i)[0] < wait[1]; i++) {
        addGap(from, holds.get(i)[0]);
        from = holds.get(i)[1];
      }
      addGap(from, wait[1]);
    }
  }

  private void addGap(long begin, long end) {
    if (end - begin >= SAME) {
      lines.add(new Line(begin, end, null, "no recording has a holder", ""));
    }
  }

  private static <T> List<long[]> union(List<Timed<T>> sorted) {
    List<long[]> union = new ArrayList<>();
    for (Timed<T> each : sorted) {
      long[] last = union.isEmpty() ? null : union.get(union.size() - 1);
      if (last != null && each.begin() <= last[1]) {
        last[1] = Math.max(last[1], each.end());
      } else {
        union.add(new long[] {each.begin(), each.end()});
      }
    }
    return union;
  }

  private void addDeadlocks(Timeline timeline, String name) {
    for (Deadlock each : timeline.recordings().deadlocks()) {
      if (each.concerns(name)) {
        Clock clock = timeline.clocks().of(each.by().process(), name);
        String what = "found a deadlock: " + String.join("; ", each.parties());
        add(clock.toServer(each.at()), each.by(), what, List.of());
      }
    }
  }

  private void addClocks(Clocks clocks, String name) {
    Map<String, Long> since = new TreeMap<>();
    lock.waits().forEach(each -> note(since, each.what().span()));
    lock.holds().forEach(each -> note(since, each.what().span()));
    since.forEach((process, time) -> {
      Clock clock = clocks.of(process, name);
      offsets.put(process, clock.at(time));
      for (long at : clock.settings()) {
        Place by = new Place(process, "", -1);
        add(clock.toServer(at), by, "has a clock that was set before this", List.of());
      }
    });
  }

  private static void note(Map<String, Long> since, Recorded.Span span) {
    since.merge(span.by().process(), span.begin(), Math::min);
  }

  private void add(long at, Place by, String what, List<String> stack) {
    lines.add(new Line(at, at, by, what, Stacks.place(stack)));
  }

  /** A time as an analysis needs it, as {@code 2.097 s}. */
  public static String time(long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    return millis < 1000
        ? millis + " ms"
        : millis < 10_000
            ? String.format(Locale.ROOT, "%.3f s", millis / 1e3)
            : String.format(Locale.ROOT, "%,d s", millis / 1000);
  }
}
