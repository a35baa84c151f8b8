package io.mortise.micrometer;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.mortise.DistributedLock;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Crew;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Measures what the meters cost, in one JVM, in many short turns without and with them alternately.
 * It prints the median and the quartiles of the ratio of neighbouring turns. {@code
 * docs/metrics.md} has the command.
 */
final class CostOfMetrics {
  private static final int TURNS = 101;
  private static final int RIVALS = 8;
  private static final int HAND_OFFS = 40_000;

  /** One turn: so many operations, and their nanoseconds each. */
  private interface Turn {
    double nanosEach() throws InterruptedException;
  }

  private static final LockListener NOTHING = new LockListener() {};

  private CostOfMetrics() {}

  public static void main(String[] args) throws InterruptedException {
    MortiseMetrics metrics =
        new MortiseMetrics(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    InMemoryStore store = InMemoryStore.create();
    events(metrics);
    try (LockService plain = LockService.of(store.backend());
        LockService told = LockService.builder().backend(store.backend()).listener(NOTHING).open();
        LockService measured = metrics.open(LockService.builder().backend(store.backend()))) {
      compare("memory pair, an empty listener", 2_000, pair(plain, 2_000), pair(told, 2_000));
      compare("memory pair, meters", 2_000, pair(plain, 2_000), pair(measured, 2_000));
      compare("hand-off, an empty listener", HAND_OFFS, handOff(plain), handOff(told));
      compare("hand-off, meters", HAND_OFFS, handOff(plain), handOff(measured));
    }
    try (RedisServer redis = RedisServer.start();
        LockService plain = LockService.open(redis.uri().toString(), "jedis");
        LockService measured =
            metrics.open(LockService.builder().uri(redis.uri().toString()).provider("jedis"))) {
      compare("Jedis pair over loopback", 500, pair(plain, 500), pair(measured, 500));
    }
  }

  /** What the meters do for one hold: {@code acquired} and {@code released}, in one thread. */
  private static void events(MortiseMetrics metrics) throws InterruptedException {
    AtomicReference<LockAttempt> attempt = new AtomicReference<>();
    AtomicReference<LockHold> hold = new AtomicReference<>();
    LockListener keep =
        new LockListener() {
          @Override
          public void acquired(LockAttempt told, LockHold begun) {
            attempt.set(told);
            hold.set(begun);
          }
        };
    try (LockService locks =
        LockService.builder().backend(InMemoryStore.create().backend()).listener(keep).open()) {
      locks.getLock("cost:1").lock();
      locks.getLock("cost:1").unlock();
    }
    Turn nothing = events(NOTHING, attempt.get(), hold.get());
    compare("events of a hold", 100_000, nothing, events(metrics, attempt.get(), hold.get()));
  }

  private static Turn events(LockListener listener, LockAttempt attempt, LockHold hold) {
    return () -> {
      long start = System.nanoTime();
      for (int i = 0; i < 100_000; i++) {
        listener.acquired(attempt, hold);
        listener.released(hold);
      }
      return (System.nanoTime() - start) / 100_000.0;
    };
  }

  private static Turn pair(LockService locks, int pairs) {
    DistributedLock lock = locks.getLock("cost:" + locks.clientId());
    return () -> {
      long start = System.nanoTime();
      for (int i = 0; i < pairs; i++) {
        lock.lock();
        lock.unlock();
      }
      return (System.nanoTime() - start) / (double) pairs;
    };
  }

  /** Several threads contend, so most holds are handed over. The time of all is one sequence. */
  private static Turn handOff(LockService locks) {
    DistributedLock lock = locks.getLock("cost:" + locks.clientId());
    return () -> {
      long start = System.nanoTime();
      Crew.run(
          RIVALS,
          number -> {
            for (int i = 0; i < HAND_OFFS / RIVALS; i++) {
              lock.lock();
              lock.unlock();
            }
          });
      return (System.nanoTime() - start) / (double) HAND_OFFS;
    };
  }

  private static void compare(String what, int operations, Turn without, Turn with)
      throws InterruptedException {
    for (int i = 0; i < TURNS / 2; i++) {
      without.nanosEach();
      with.nanosEach();
    }
    double[] base = new double[TURNS];
    double[] ratios = new double[TURNS];
    double[] more = new double[TURNS];
    for (int i = 0; i < TURNS; i++) {
      double measured = i % 2 == 0 ? 0 : with.nanosEach(); // each goes first in half of the turns
      base[i] = without.nanosEach();
      measured = i % 2 == 0 ? with.nanosEach() : measured;
      ratios[i] = measured / base[i];
      more[i] = measured - base[i];
    }
    System.out.printf(
        Locale.ROOT,
        "%s, %d turns of %d: %s ns without, ratio %s, %s ns more%n",
        what,
        TURNS,
        operations,
        quartiles("%.0f", base),
        quartiles("%.3f", ratios),
        quartiles("%.0f", more));
  }

  private static String quartiles(String format, double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    String all = format + " [" + format + " … " + format + "]";
    return String.format(
        Locale.ROOT, all, sorted[TURNS / 2], sorted[TURNS / 4], sorted[TURNS * 3 / 4]);
  }
}
