package io.mortise.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observations of waits, for traces. A lock for which a thread or a lease waits for 1 ms or more is
 * one observation {@code mortise.lock}: from the time when it has waited for 1 ms, to the end of
 * the hold. It has the event {@code granted} when the wait was successful, and {@code lost} when
 * the lease was lost.
 *
 * <p>The parent of a thread's wait is the observation that was current there when the wait began. A
 * wait for a lease, for permits or for a latch belongs to no thread. The service's executor tells
 * of it, so its parent is what is current there. The default executor has none.
 *
 * <p>Add it as a {@linkplain io.mortise.LockService.Builder#listener listener}. Without it nothing
 * is observed. Its handlers run on a daemon thread of its own, so a slow handler delays no lock.
 * When 10,000 steps are pending there, further waits are not observed. Thread-safe.
 *
 * <ul>
 *   <li>Keys of low cardinality: {@code mortise.lock.kind}, {@code mortise.lock.group}, {@code
 *       mortise.lock.outcome}
 *   <li>Keys of high cardinality: {@code mortise.lock.name}, {@code mortise.lock.holder}
 * </ul>
 */
public final class MortiseObservations implements LockListener {
  /* Overview
   *
   * An observation has no time of its own: it begins when start() is called. Most waits between
   * threads of one service are shorter than an observation costs. So a timer starts it when the wait
   * has lasted for 1 ms, and a shorter wait cancels the timer. If the timer is late, the end of the
   * wait does its work.
   *
   * The timer has one thread, and all later steps run there too, in their order. The only race is
   * between the start and the end of a short wait. The state decides it.
   */
  private static final Logger log = LoggerFactory.getLogger(MortiseObservations.class);
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);
  private static final int MOST_PENDING = 10_000;

  private enum State {
    WAITS,
    STARTED,
    TOO_SHORT
  }

  private final ObservationRegistry registry;
  private final LockGroups groups;
  private final Duration shortest;
  final ScheduledThreadPoolExecutor steps;

  /**
   * Observations of long waits.
   *
   * @param registry where the observations go
   * @param groups the groups of names, best those of {@link MortiseMetrics}
   */
  public MortiseObservations(ObservationRegistry registry, LockGroups groups) {
    this(registry, groups, SHORTEST_WAIT);
  }

  MortiseObservations(ObservationRegistry registry, LockGroups groups, Duration shortest) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.groups = Objects.requireNonNull(groups, "groups");
    this.shortest = shortest;
    steps = new ScheduledThreadPoolExecutor(1, MortiseObservations::daemon);
    steps.setRemoveOnCancelPolicy(true);
    steps.setKeepAliveTime(5, TimeUnit.SECONDS);
    steps.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(null, task, "mortise-observations", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(MortiseObservations.class.getClassLoader());
    return thread;
  }

  /** A wait that may become an observation. All but the state is used by one thread at a time. */
  private final class Observed {
    private final LockAttempt attempt;
    private final @Nullable Observation parent;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITS);
    private final ScheduledFuture<?> timer;
    private Observation observation = Observation.NOOP;

    Observed(LockAttempt attempt) {
      this.attempt = attempt;
      parent = registry.getCurrentObservation();
      try {
        timer = steps.schedule(this::start, shortest.toNanos(), TimeUnit.NANOSECONDS);
      } catch (Throwable e) { // an Error too: no thread can be made, and start is in the queue
        state.set(State.TOO_SHORT); // as nobody would stop the observation
        throw e;
      }
    }

    /** The wait has lasted long enough. */
    private void start() {
      if (state.compareAndSet(State.WAITS, State.STARTED)) {
        observe();
      }
    }

    private void observe() {
      guarded(() -> observation = started());
    }

    private Observation started() {
      String group = groups.of(attempt.name());
      return Observation.createNotStarted("mortise.lock", registry)
          .contextualName("lock " + group)
          .parentObservation(parent)
          .lowCardinalityKeyValue("mortise.lock.kind", MeterTable.text(attempt.kind()))
          .lowCardinalityKeyValue("mortise.lock.group", group)
          .lowCardinalityKeyValue(outcome("none"))
          .highCardinalityKeyValue("mortise.lock.name", attempt.name())
          .start();
    }

    /** The wait is over. Returns whether it was too short to be observed. */
    boolean tooShort() {
      boolean isLong = attempt.waitedNanos() >= shortest.toNanos();
      if (!state.compareAndSet(State.WAITS, isLong ? State.STARTED : State.TOO_SHORT)) {
        return false;
      }
      timer.cancel(false);
      if (isLong) { // a slow handler, or a late call of waiting, has delayed the timer
        steps.execute(this::observe);
      }
      return !isLong;
    }

    /** Does the next step behind the steps before it. */
    void then(Consumer<Observation> step) {
      steps.execute(() -> guarded(() -> step.accept(observation)));
    }
  }

  @Override
  public void waiting(LockAttempt attempt) {
    if (!registry.isNoop() && steps.getQueue().size() < MOST_PENDING) {
      attempt.setContext(this, new Observed(attempt));
    }
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    next(
        attempt,
        observation ->
            observation
                .lowCardinalityKeyValue(outcome("acquired"))
                .highCardinalityKeyValue("mortise.lock.holder", hold.holder())
                .event(Observation.Event.of("granted")));
  }

  @Override
  public void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome how, @Nullable Throwable failure) {
    next(
        attempt,
        observation -> {
          observation.lowCardinalityKeyValue(outcome(MeterTable.text(how)));
          if (failure != null) {
            observation.error(failure);
          }
          observation.stop();
        });
  }

  @Override
  public void released(LockHold hold) {
    next(hold.attempt(), Observation::stop);
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    next(
        hold.attempt(),
        observation -> {
          observation.event(Observation.Event.of("lost", "lost: " + MeterTable.text(cause)));
          observation.stop();
        });
  }

  private void next(LockAttempt attempt, Consumer<Observation> step) {
    if (attempt.context(this) instanceof Observed observed) {
      if (observed.tooShort()) {
        attempt.setContext(this, null);
      } else {
        observed.then(step);
      }
    }
  }

  private static KeyValue outcome(String value) {
    return KeyValue.of("mortise.lock.outcome", value);
  }

  private static void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) { // an Error too: the thread has other observations to end
      log.warn("a handler of observations failed", e);
    }
  }

  @Override
  public String toString() {
    return "observations of locks, groups by " + groups;
  }
}
