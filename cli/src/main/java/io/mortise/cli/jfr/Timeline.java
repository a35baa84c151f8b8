package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Loss;
import io.mortise.cli.jfr.Recorded.Place;
import io.mortise.cli.jfr.Recorded.Span;
import io.mortise.cli.jfr.Recorded.Wait;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** All that was recorded of each lock, by the server's clock and in its order. */
public final class Timeline {
  /** Two records of one begin differ by less (ns). */
  private static final long SAME = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * Something recorded, by the server's clock.
   *
   * @param what the same by the clock of its process
   * @param begin when it began
   * @param end when it ended
   * @param <T> what it is
   */
  record Timed<T>(T what, long begin, long end) {}

  /** One lock. */
  record OfLock(List<Timed<Wait>> waits, List<Timed<Hold>> holds, List<Timed<Loss>> losses) {
    private OfLock() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private void sort() {
      waits.sort(Comparator.comparingLong(Timed::begin));
      holds.sort(Comparator.comparingLong(Timed::begin));
      losses.sort(Comparator.comparingLong(Timed::begin));
    }

    boolean isEmpty() {
      return waits.isEmpty() && holds.isEmpty() && losses.isEmpty();
    }
  }

  private final Recordings recordings;
  private final Clocks clocks;
  private final Map<String, OfLock> locks = new HashMap<>();

  private Timeline(Recordings recordings) {
    this.recordings = recordings;
    clocks = new Clocks(recordings);
  }

  /** Puts all in order. */
  public static Timeline of(Recordings recordings) {
    Timeline timeline = new Timeline(recordings);
    List<Hold> holds = new ArrayList<>(recordings.holds());
    holds.addAll(unended(recordings.openHolds(), recordings.holds(), Hold::span, Timeline::key));
    List<Wait> waits = new ArrayList<>(recordings.waits());
    waits.addAll(unended(recordings.openWaits(), recordings.waits(), Wait::span, Timeline::key));
    waits.forEach(each -> timeline.lock(each.span()).waits.add(timeline.timed(each, each.span())));
    holds.forEach(each -> timeline.lock(each.span()).holds.add(timeline.timed(each, each.span())));
    recordings
        .losses()
        .forEach(each -> timeline.lock(each.span()).losses.add(timeline.timed(each, each.span())));
    timeline.locks.values().forEach(OfLock::sort);
    return timeline;
  }

  private OfLock lock(Span span) {
    return locks.computeIfAbsent(span.lock(), name -> new OfLock());
  }

  private <T> Timed<T> timed(T what, Span span) {
    Clock clock = clocks.of(span.by().process(), span.lock());
    long begin = clock.toServer(span.begin());
    return new Timed<>(what, begin, Math.max(begin, clock.toServer(span.end())));
  }

  /** What has no event of its own. Of several looks at one, the last counts. */
  private static <T> List<T> unended(
      Iterable<T> seen, Iterable<T> ended, Function<T, Span> span, Function<T, String> key) {
    Map<String, List<Span>> known = new HashMap<>();
    for (T each : ended) {
      known.computeIfAbsent(key.apply(each), name -> new ArrayList<>()).add(span.apply(each));
    }
    Map<String, List<T>> open = new HashMap<>();
    for (T each : seen) {
      Span looked = span.apply(each);
      if (known.getOrDefault(key.apply(each), List.of()).stream()
          .noneMatch(whole -> isSame(whole, looked))) {
        List<T> others = open.computeIfAbsent(key.apply(each), name -> new ArrayList<>());
        boolean later =
            others.removeIf(one ->
                Math.abs(span.apply(one).begin() - looked.begin()) < SAME
                    && span.apply(one).end() <= looked.end());
        if (later
            || others.stream()
                .noneMatch(one -> Math.abs(span.apply(one).begin() - looked.begin()) < SAME)) {
          others.add(each);
        }
      }
    }
    return open.values().stream().flatMap(List::stream).toList();
  }

  private static String key(Hold hold) {
    return hold.span().by().process() + '\0' + hold.span().lock() + '\0' + hold.holder();
  }

  private static String key(Wait wait) {
    Place by = wait.span().by();
    return by.process() + '\0' + wait.span().lock() + '\0' + by.thread();
  }

  /** A wait begins with its call, and its event a round trip later. So the end is looked at. */
  private static boolean isSame(Span whole, Span seen) {
    return whole.begin() - SAME <= seen.end() && seen.end() <= whole.end() + SAME;
  }

  Clocks clocks() {
    return clocks;
  }

  Recordings recordings() {
    return recordings;
  }

  /** The names of all locks that were recorded, in alphabetical order. */
  public List<String> names() {
    return List.copyOf(new TreeSet<>(locks.keySet()));
  }

  OfLock of(String lock) {
    return locks.getOrDefault(lock, new OfLock());
  }
}
