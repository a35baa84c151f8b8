package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ReplicatedBackend;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each option of a service, with each way to a lock, on platform and virtual threads. Two services
 * with the option contend, and threads of each. A counter that loses updates shows exclusion. All
 * threads come to their end, so none is kept out for ever.
 */
public abstract class OptionRules extends LockRules {
  private static final int SERVICES = 2;
  private static final int THREADS = 4;
  private static final int ROUNDS = 8;

  /** Longer than any wait in a test that passes. */
  private static final Duration LONG = Duration.ofSeconds(60);

  protected OptionRules(LockKit kit) {
    super(kit);
  }

  /** An option of a service, with a value that changes what a contended lock does. */
  @SuppressWarnings("ImmutableEnumChecker") // functions without state
  enum Option {
    NONE(builder -> builder),
    NO_HAND_OFFS(builder -> builder.handOffLimit(0)),
    ONE_HAND_OFF(builder -> builder.handOffLimit(1)),
    RETAIN(builder -> builder.retain(SECOND)),
    RETAIN_WITHOUT_HAND_OFFS(builder -> builder.retain(SECOND).handOffLimit(0)),
    INTERRUPT_ON_LOSS(builder -> builder.interruptOnLoss(true)),
    BREAK_DEADLOCKS(builder -> builder.breakDeadlocks(true)),
    REPLICA_ACKS(
        builder -> builder.replicaAcks(1, Duration.ofMillis(20)),
        store -> new ReplicatedBackend(store, call -> 1)),
    REDISSON(builder -> builder.redissonInterop(true)),
    IN_PLACE(builder -> builder.executor(Runnable::run)),
    LISTENER(builder -> builder.listener(new LockListener() {})),
    MAX_HOLD(builder -> builder.maxHold(LONG)),
    SHORT_TIMES(
        builder -> builder.leaseTime(Duration.ofSeconds(6)).commandTimeout(Duration.ofSeconds(2)));

    private final UnaryOperator<LockService.Builder> set;
    private final UnaryOperator<LockBackend> on;

    Option(UnaryOperator<LockService.Builder> set) {
      this(set, store -> store);
    }

    Option(UnaryOperator<LockService.Builder> set, UnaryOperator<LockBackend> on) {
      this.set = set;
      this.on = on;
    }
  }

  /** A way to run something under a lock. */
  enum WayIn {
    BLOCKING {
      @Override
      void run(DistributedLock lock, Runnable work) {
        lock.lock();
        unlocking(lock, work);
      }
    },
    TIMED {
      @Override
      void run(DistributedLock lock, Runnable work) throws InterruptedException {
        assertTrue(lock.tryLock(LONG), "not within " + LONG);
        unlocking(lock, work);
      }
    },
    ATTEMPT {
      @Override
      void run(DistributedLock lock, Runnable work) {
        long start = System.nanoTime();
        while (!lock.tryLock()) {
          assertTrue(System.nanoTime() - start < LONG.toNanos(), "not within " + LONG);
          LockSupport.parkNanos(1_000_000);
        }
        unlocking(lock, work);
      }
    },
    FUTURE {
      @Override
      void run(DistributedLock lock, Runnable work) throws Exception {
        CompletableFuture<?> done =
            lock.async().withLease(lease -> CompletableFuture.runAsync(work, Runnable::run));
        done.get(LONG.toSeconds(), TimeUnit.SECONDS);
      }
    },
    CONDITION {
      @Override
      void run(DistributedLock lock, Runnable work) throws InterruptedException {
        Condition worked = lock.newCondition("worked");
        lock.lock();
        try {
          work.run();
          worked.signalAll();
          long left = TimeUnit.MILLISECONDS.toNanos(20);
          while (left > 0) {
            left = worked.awaitNanos(left); // each signal of another thread ends it early
          }
        } finally {
          lock.unlock();
        }
      }
    };

    abstract void run(DistributedLock lock, Runnable work) throws Exception;

    private static void unlocking(DistributedLock lock, Runnable work) {
      try {
        work.run();
      } finally {
        lock.unlock();
      }
    }
  }

  static Stream<Arguments> pairs() {
    return Stream.of(Option.values())
        .flatMap(option ->
            Stream.of(WayIn.values())
                .flatMap(way ->
                    Stream.of(ThreadKind.values()).map(kind -> Arguments.of(option, way, kind))));
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @MethodSource("pairs")
  @Rule({"L1", "L6"})
  void eachOptionExcludesByEachWayIn(Option option, WayIn way, ThreadKind kind)
      throws InterruptedException {
    Counter counter = new Counter();
    List<DistributedLock> locks = new ArrayList<>();
    for (int i = 0; i < SERVICES; i++) {
      locks.add(service(option.on.apply(backend()), option.set).getLock(name));
    }

    Crew crew =
        Crew.start(
            kind,
            THREADS,
            number -> {
              for (int i = 0; i < ROUNDS; i++) {
                way.run(locks.get(number % SERVICES), counter);
              }
            });
    passTimeUntilEnd(crew);

    assertEquals(THREADS * ROUNDS, counter.value());
  }

  /** A clock that the test moves goes on, no faster than the threads run. */
  private void passTimeUntilEnd(Crew crew) throws InterruptedException {
    long start = System.nanoTime();
    while (!crew.hasEnded() && System.nanoTime() - start < LONG.toNanos()) {
      passTime(Duration.ofMillis(1));
      Thread.sleep(1);
    }
    crew.join(Duration.ZERO);
  }
}
