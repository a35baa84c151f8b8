package io.mortise.cli.jfr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Bounds for the clock of a process that has no time of the server. Its holds of a lock and those
 * of others do not overlap. Each pair forbids the offsets at which they would. Of the gaps that
 * remain, the one counts in which most grants follow a release of the process at once.
 */
final class Order {
  /** Clocks differ by less (ns). */
  private static final long FARTHEST = TimeUnit.SECONDS.toNanos(10);

  /** A grant follows a release within that time, if one waited (ns). */
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(50);

  /** More pairs bound nothing better. */
  private static final int MOST_PAIRS = 200_000;

  /** A time in which somebody had a lock. */
  record Busy(long begin, long end) {}

  private record Gap(long low, long high) {
    long fromZero() {
      return low > 0 ? low : high < 0 ? -high : 0;
    }
  }

  private final List<Busy> forbidden = new ArrayList<>();
  private final List<Long> followed = new ArrayList<>();

  /**
   * Adds one lock.
   *
   * @param own the holds of the process, by its clock
   * @param others those of others, by the server's clock; a grant alone has no length
   */
  void add(List<Busy> own, List<Busy> others) {
    List<Busy> sorted = new ArrayList<>(others);
    sorted.sort(Comparator.comparingLong(Busy::begin));
    long longest = sorted.stream().mapToLong(each -> each.end() - each.begin()).max().orElse(0);
    for (Busy mine : own) {
      for (int i = firstFrom(sorted, mine.begin() - FARTHEST - longest); i < sorted.size(); i++) {
        Busy other = sorted.get(i);
        if (other.begin() > mine.end() + FARTHEST || forbidden.size() >= MOST_PAIRS) {
          break;
        }
        forbidden.add(new Busy(other.begin() - mine.end(), other.end() - mine.begin()));
        followed.add(other.begin() - mine.end());
      }
    }
  }

  private static int firstFrom(List<Busy> sorted, long time) {
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
    return first;
  }

  /** How far the server's clock is ahead; unbounded if only one side or none is known. */
  Clock.Offset offset() {
    long[] grants = followed.stream().mapToLong(each -> each).sorted().toArray();
    Gap best = new Gap(-FARTHEST, FARTHEST);
    int most = -1;
    for (Gap each : gaps()) {
      int support = upTo(grants, each.high) - upTo(grants, each.high - AT_ONCE);
      if (support > most || (support == most && each.fromZero() < best.fromZero())) {
        most = support;
        best = each;
      }
    }
    boolean above = best.high < FARTHEST;
    boolean below = best.low > -FARTHEST;
    if (above && below && best.high - best.low < AT_ONCE) {
      return Clock.Offset.between(best.low, best.high);
    }
    // The bound from above is the nearer one: a grant follows the release for which it waited.
    long ahead = above ? best.high : below && best.low > 0 ? best.low : 0;
    return new Clock.Offset(ahead, Clock.Offset.UNKNOWN);
  }

  /** How many are not above the limit. */
  private static int upTo(long[] sorted, long limit) {
    int found = Arrays.binarySearch(sorted, limit);
    if (found < 0) {
      return -found - 1;
    }
    while (found < sorted.length && sorted[found] == limit) {
      found++;
    }
    return found;
  }

  private List<Gap> gaps() {
    List<Busy> sorted = new ArrayList<>(forbidden);
    sorted.sort(Comparator.comparingLong(Busy::begin));
    List<Gap> gaps = new ArrayList<>();
    long free = -FARTHEST;
    for (Busy each : sorted) {
      if (each.begin() >= free && free < FARTHEST) {
        gaps.add(new Gap(free, Math.min(each.begin(), FARTHEST)));
      }
      free = Math.max(free, each.end());
    }
    if (free < FARTHEST) {
      gaps.add(new Gap(free, FARTHEST));
    }
    return gaps;
  }
}
