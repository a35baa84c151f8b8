package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Activities.Activity;
import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Place;
import io.mortise.cli.jfr.Recorded.Wait;
import io.mortise.cli.jfr.Timeline.OfLock;
import io.mortise.cli.jfr.Timeline.Timed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Who waited for whom, and where the holder was. The time of each wait is divided among the holds
 * that it overlaps, and the time beside a hold among what the holder's thread did. What no hold
 * covers is told, and not guessed.
 */
public final class Contention {
  /** Between two holds of a lock that changes its holder, less than that is not covered (ns). */
  private static final long CHANGE = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * A line of the table.
   *
   * @param lock the lock, or the group of locks
   * @param by who waited
   * @param holder for whom; empty if no recording has a holder
   * @param where where the holder was
   * @param nanos how long
   */
  public record Row(String lock, String by, String holder, String where, long nanos) {}

  /** A part of a wait, beside one hold. The times are those of the holder's clock. */
  private record Slice(Timed<Wait> waiting, Timed<Hold> hold, long begin, long end, int sharedBy) {}

  private final UnaryOperator<String> grouping;
  private final FlameGraph flames = new FlameGraph("all waits");
  private final Map<Row, Long> rows = new HashMap<>();
  private final List<Slice> slices = new ArrayList<>();

  /** Where each process acquired an id for which it waited. */
  private final Map<List<String>, List<String>> acquiredAt = new HashMap<>();

  private long waited;
  private long held;
  private long stacked;
  private long changing;

  private Contention(boolean grouped) {
    grouping = grouped ? Groups::of : UnaryOperator.identity();
  }

  /**
   * Divides all waits. Reads the recordings again, for what the holders did.
   *
   * @param grouped whether names that differ in numbers alone count as one
   * @throws IOException a recording has gone
   */
  public static Contention of(Timeline timeline, boolean grouped, Recordings.Watcher watcher)
      throws IOException {
    Contention contention = new Contention(grouped);
    for (String lock : timeline.names()) {
      contention.divide(timeline.of(lock));
    }
    Activities activities = new Activities();
    for (Slice each : contention.slices) {
      activities.want(each.hold.what().span().by(), each.begin, each.end);
    }
    activities.read(timeline.recordings().processes(), watcher);
    contention.slices.forEach(each -> contention.place(each, activities));
    return contention;
  }

  /** The lines of the table, the longest first. */
  public List<Row> rows() {
    return rows.entrySet().stream()
        .map(each -> {
          Row row = each.getKey();
          return new Row(row.lock, row.by, row.holder, row.where, each.getValue());
        })
        .sorted((one, other) -> Long.compare(other.nanos, one.nanos))
        .toList();
  }

  /** The same with whole stacks. */
  public FlameGraph flames() {
    return flames;
  }

  /** All waits together (ns). */
  public long waited() {
    return waited;
  }

  /** The part of {@link #waited} of which a recording has the holder. */
  public long held() {
    return held;
  }

  /** The part of {@link #held} of which a recording has a stack of the holder. */
  public long stacked() {
    return stacked;
  }

  /** The part of {@link #waited} in which the lock changed its holder. */
  public long changing() {
    return changing;
  }

  // Waits

  private void divide(OfLock lock) {
    List<Timed<Hold>> holds = lock.holds();
    long[] latest = new long[holds.size()]; // the last end of all holds up to this one
    for (int i = 0; i < latest.length; i++) {
      latest[i] = Math.max(holds.get(i).end(), i == 0 ? Long.MIN_VALUE : latest[i - 1]);
    }
    for (Timed<Wait> wait : lock.waits()) {
      waited += wait.end() - wait.begin();
      acquiredAt.put(
          List.of(wait.what().span().by().process(), wait.what().holder()), wait.what().stack());
      List<Timed<Hold>> beside = new ArrayList<>();
      for (int i = before(holds, wait.end()); i >= 0 && latest[i] > wait.begin(); i--) {
        if (isBeside(holds.get(i), wait)) {
          beside.add(holds.get(i));
        }
      }
      Collections.reverse(beside);
      divide(wait, beside);
    }
  }

  /** The last hold that began before a time, or -1. */
  private static int before(List<Timed<Hold>> sorted, long time) {
    int first = 0;
    int end = sorted.size();
    while (first < end) {
      int middle = (first + end) >>> 1;
      if (sorted.get(middle).begin() < time) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first - 1;
  }

  private static boolean isBeside(Timed<Hold> hold, Timed<Wait> wait) {
    boolean own = hold.what().span().by().isSame(wait.what().span().by());
    return !own && hold.begin() < wait.end() && hold.end() > wait.begin();
  }

  private void divide(Timed<Wait> wait, List<Timed<Hold>> beside) {
    TreeSet<Long> cuts = new TreeSet<>(List.of(wait.begin(), wait.end()));
    for (Timed<Hold> each : beside) {
      cuts.add(Math.max(wait.begin(), each.begin()));
      cuts.add(Math.min(wait.end(), each.end()));
    }
    long from = wait.begin();
    for (long to : cuts.tailSet(from, false)) {
      long begin = from;
      List<Timed<Hold>> now =
          beside.stream().filter(each -> each.begin() <= begin && each.end() >= to).toList();
      if (now.isEmpty()) {
        uncovered(wait, to - from, !beside.isEmpty() && to - from < CHANGE);
      }
      for (Timed<Hold> each : now) {
        long local = each.what().span().begin() - each.begin();
        slices.add(new Slice(wait, each, from + local, to + local, now.size()));
      }
      from = to;
    }
  }

  private void uncovered(Timed<Wait> wait, long nanos, boolean changes) {
    changing += changes ? nanos : 0;
    String why = changes ? "the lock changed its holder" : "no recording has a holder";
    add(wait, "", why, List.of(why), nanos);
  }

  // Holders

  private void place(Slice slice, Activities activities) {
    Place holder = slice.hold.what().span().by();
    long from = slice.begin;
    List<Activity> samples = new ArrayList<>();
    for (Activity each : activities.of(holder, slice.begin, slice.end)) {
      if (each.isSample()) {
        samples.add(each);
      } else if (each.end() > from) {
        long begin = Math.max(from, each.begin());
        between(slice, from, begin, samples);
        long end = Math.min(slice.end, each.end());
        add(slice, each.what(), each.stack(), end - begin);
        from = end;
      }
    }
    between(slice, from, slice.end, samples);
  }

  /** Divides a time among the samples in it. Without any, where the hold ended or began counts. */
  private void between(Slice slice, long begin, long end, List<Activity> samples) {
    List<Activity> here =
        samples.stream().filter(each -> each.begin() >= begin && each.begin() <= end).toList();
    for (Activity each : here) {
      add(slice, each.what(), each.stack(), (end - begin) / here.size());
    }
    if (here.isEmpty() && end > begin) {
      add(slice, "", known(slice.hold.what()), end - begin);
    }
  }

  /** A hold that was lost has not ended at a place of the application. */
  private List<String> known(Hold hold) {
    return hold.stack().isEmpty()
        ? acquiredAt.getOrDefault(List.of(hold.span().by().process(), hold.holder()), List.of())
        : hold.stack();
  }

  private void add(Slice slice, String what, List<String> stack, long length) {
    long nanos = length / slice.sharedBy;
    held += nanos;
    stacked += stack.isEmpty() ? 0 : nanos;
    String where = Stacks.place(stack);
    String leaf = what.isEmpty() ? "" : '[' + what + ']';
    List<String> path = new ArrayList<>(stack);
    Collections.reverse(path);
    if (!leaf.isEmpty() || path.isEmpty()) {
      path.add(leaf.isEmpty() ? "[no stack]" : leaf);
    }
    String text = (where + ' ' + path.get(path.size() - 1)).strip();
    add(
        slice.waiting,
        name(slice.hold.what().span().by()),
        leaf.isEmpty() ? where : text,
        path,
        nanos);
  }

  private void add(Timed<Wait> wait, String holder, String where, List<String> stack, long nanos) {
    String lock = grouping.apply(wait.what().span().lock());
    String by = name(wait.what().span().by());
    rows.merge(new Row(lock, by, holder, where, 0), nanos, Long::sum);
    List<String> path = new ArrayList<>(List.of(lock, "by " + by));
    if (!holder.isEmpty()) {
      path.add("for " + holder);
    }
    path.addAll(stack);
    flames.add(path, nanos);
  }

  private String name(Place place) {
    String thread = grouping.apply(place.thread());
    return thread.isEmpty() ? place.process() + " (lease)" : place.process() + ' ' + thread;
  }
}
