package io.mortise.conformance.outside;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * The next action of a worker's thread.
 *
 * @param what the lock
 * @param way how to acquire
 * @param patience the longest time to wait, where the way has one
 * @param lease a fixed lease, or zero for one that is renewed
 * @param stay how long to hold
 * @param interruptAfter when to interrupt the attempt, or zero
 * @param force whether to force the lock open instead of acquiring it
 */
record Step(
    What what,
    Way way,
    Duration patience,
    Duration lease,
    Duration stay,
    Duration interruptAfter,
    boolean force) {

  private static final Duration MEETING = Duration.ofMillis(500);

  /** A lock of the run. Its name is the resource name in the logs. */
  enum What {
    PLAIN(6),
    FAIR(4),
    FENCED(5),
    READ(4),
    WRITE(3),
    SEMAPHORE(4),
    MULTI(3),
    /** One member of the multi-lock alone. */
    MEMBER(2),
    RED(4),
    /** A lock shared with clients of Redisson, if there are any. */
    SHARED(3),
    /** No lock: a control in which the checker must find violations. */
    UNGUARDED(3),
    /** A lease that is never checked: the second control. */
    OVERSTAYED(2);

    private final int often;

    What(int often) {
      this.often = often;
    }

    boolean canBeForced() {
      return this == PLAIN || this == FENCED || this == READ || this == WRITE || this == SEMAPHORE;
    }

    boolean isControl() {
      return this == UNGUARDED || this == OVERSTAYED;
    }
  }

  /** The ways to acquire. */
  enum Way {
    LOCK,
    INTERRUPTIBLY,
    TRY,
    TRY_FOR_A_WHILE,
    LEASE,
    TRY_LEASE,
    ASYNC;

    boolean hasLimit() {
      return this == TRY || this == TRY_FOR_A_WHILE || this == TRY_LEASE || this == ASYNC;
    }
  }

  /** The next step of a plan. The same generator gives the same plan. */
  static Step next(Random random, List<What> locks, Duration renewed) {
    What what = pick(random, locks);
    Way way = Way.values()[random.nextInt(Way.values().length)];
    Duration patience = way == Way.TRY ? Duration.ZERO : millis(random.nextInt(2_500));
    boolean fixed = random.nextInt(5) == 0;
    Duration lease = fixed ? millis(300 + random.nextInt(1_200)) : Duration.ZERO;
    boolean interrupts = way != Way.LOCK && random.nextInt(10) == 0;
    Duration interrupt = interrupts ? millis(1 + random.nextInt(1_000)) : Duration.ZERO;
    boolean force = what.canBeForced() && random.nextInt(200) == 0;
    boolean crowded = what.isControl() || what == What.SEMAPHORE; // so that threads meet
    Duration stay = crowded ? millis(20 + random.nextInt(80)) : stay(random, renewed);
    return new Step(what, way, patience, lease, stay, interrupt, force);
  }

  /** A stay in a control. It is so long that another thread with the same step enters meanwhile. */
  static Step meet(What control) {
    return new Step(control, Way.LOCK, Duration.ZERO, Duration.ZERO, MEETING, Duration.ZERO, false);
  }

  /** Acquires within a time, and releases. */
  static Step visit(What what, Duration patience) {
    return new Step(
        what,
        what == What.SEMAPHORE ? Way.TRY_LEASE : Way.TRY_FOR_A_WHILE,
        patience,
        Duration.ZERO,
        Duration.ZERO,
        Duration.ZERO,
        false);
  }

  private static What pick(Random random, List<What> locks) {
    int number = random.nextInt(locks.stream().mapToInt(each -> each.often).sum());
    for (What each : locks) {
      number -= each.often;
      if (number < 0) {
        return each;
      }
    }
    throw new AssertionError(locks);
  }

  /** Usually short, sometimes longer than a renewal takes to come, seldom longer than a lease. */
  private static Duration stay(Random random, Duration renewed) {
    int lease = Math.toIntExact(renewed.toMillis());
    int dice = random.nextInt(50);
    int longest = dice == 0 ? lease + 4_000 : dice < 5 ? lease * 9 / 20 : 8;
    return millis(random.nextInt(longest));
  }

  private static Duration millis(int millis) {
    return Duration.ofMillis(millis);
  }
}
