package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Sample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How far the server's clock is ahead of the clock of one process. Each sample bounds that from
 * both sides: the server read its clock after the command was sent, and before the reply came. Away
 * from a sample, its bounds widen by the drift that two clocks may have. All bounds hold at once,
 * unless the clock was set. Then what follows has bounds of its own.
 */
public final class Clock {
  /** The most that two clocks may drift apart, in nanoseconds for each. */
  private static final double DRIFT = 200e-6;

  /** A thread may be stopped between an event and the reading of its time (ns). */
  private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long UNBOUNDED = Long.MAX_VALUE / 4;

  /** The samples from one setting of the clock to the next. */
  private static final class Piece {
    private final List<Sample> samples = new ArrayList<>();
    private long low = -UNBOUNDED;
    private long high = UNBOUNDED;
    private long seen;

    /** What each sample and all others say of its time, in the order of the process's clock. */
    private long[] least = {};

    private long[] most = {};

    boolean allows(Sample next) {
      long away = SLACK + drift(next.server() - seen);
      return least(next) <= high + away && most(next) >= low - away;
    }

    void add(Sample next) {
      long drift = drift(next.server() - seen);
      low = Math.max(least(next), low - drift);
      high = Math.min(most(next), high + drift);
      seen = next.server();
      samples.add(next);
    }

    /** No more is added. */
    void complete() {
      samples.sort(Comparator.comparingLong(Sample::replied));
      int count = samples.size();
      least = samples.stream().mapToLong(Piece::least).toArray();
      most = samples.stream().mapToLong(Piece::most).toArray();
      for (int i = 1; i < count; i++) {
        bound(i, i - 1);
      }
      for (int i = count - 2; i >= 0; i--) {
        bound(i, i + 1);
      }
    }

    private void bound(int sample, int by) {
      long drift = drift(samples.get(sample).replied() - samples.get(by).replied());
      long lower = Math.max(least[sample], least[by] - drift);
      long upper = Math.min(most[sample], most[by] + drift);
      least[sample] = Math.min(lower, upper); // within the slack they may have crossed
      most[sample] = Math.max(lower, upper);
    }

    long first() {
      return samples.get(0).replied();
    }

    /** How far a time is from those of the piece. */
    long distance(long time) {
      return Math.max(
          0, Math.max(first() - time, time - samples.get(samples.size() - 1).replied()));
    }

    /** The bounds at a time, from the samples beside it. */
    Offset at(long time) {
      int after = 0;
      int end = samples.size();
      while (after < end) {
        int middle = (after + end) >>> 1;
        if (samples.get(middle).replied() <= time) {
          after = middle + 1;
        } else {
          end = middle;
        }
      }
      long lower = -UNBOUNDED;
      long upper = UNBOUNDED;
      for (int i = Math.max(0, after - 1); i <= Math.min(samples.size() - 1, after); i++) {
        long drift = drift(samples.get(i).replied() - time);
        lower = Math.max(lower, least[i] - drift);
        upper = Math.min(upper, most[i] + drift);
      }
      return Offset.between(Math.min(lower, upper), Math.max(lower, upper));
    }

    private static long drift(long away) {
      return (long) (Math.abs(away) * DRIFT);
    }

    private static long least(Sample of) {
      return of.server() - of.replied();
    }

    private static long most(Sample of) {
      return of.server() - of.sent();
    }
  }

  /**
   * How far the server's clock is ahead.
   *
   * @param ahead nanoseconds; negative if it is behind
   * @param plusMinus how far that may be from the truth, or {@link #UNKNOWN}
   */
  public record Offset(long ahead, long plusMinus) {
    /** Nothing bounds it from both sides. */
    public static final long UNKNOWN = -1;

    static Offset between(long low, long high) {
      return new Offset(low + (high - low) / 2, (high - low + 1) / 2);
    }

    /** Whether it is bounded. */
    public boolean isBounded() {
      return plusMinus != UNKNOWN;
    }
  }

  private final List<Piece> pieces = new ArrayList<>();
  private final Offset fixed;

  private Clock(Offset fixed) {
    this.fixed = fixed;
  }

  /** A clock that is always as far behind. */
  static Clock fixed(Offset offset) {
    return new Clock(offset);
  }

  /** The clock of a process that has these samples, at least one. */
  static Clock of(List<Sample> samples) {
    List<Sample> all = new ArrayList<>(samples);
    all.sort(Comparator.comparingLong(Sample::server)); // it goes on when the other clock is set
    Clock clock = new Clock(new Offset(0, Offset.UNKNOWN));
    Piece piece = new Piece();
    clock.pieces.add(piece);
    for (int i = 0; i < all.size(); i++) {
      Sample next = all.get(i);
      boolean last = i + 1 == all.size();
      if (piece.allows(next)) {
        piece.add(next);
      } else if (last || agree(next, all.get(i + 1))) {
        piece = new Piece();
        piece.add(next);
        clock.pieces.add(piece);
      } // else a thread was stopped while it read the time
    }
    clock.pieces.forEach(Piece::complete);
    return clock;
  }

  private static boolean agree(Sample one, Sample other) {
    Piece both = new Piece();
    both.add(one);
    return both.allows(other);
  }

  /** How far the server's clock is ahead at a time of the process. */
  public Offset at(long local) {
    Piece nearest = null;
    for (Piece each : pieces) {
      if (nearest == null || each.distance(local) <= nearest.distance(local)) {
        nearest = each;
      }
    }
    return nearest == null ? fixed : nearest.at(local);
  }

  long toServer(long local) {
    return local + at(local).ahead();
  }

  /** When the clock was set, by the clock itself after that. */
  public List<Long> settings() {
    return pieces.stream().skip(1).map(Piece::first).toList();
  }
}
