package io.mortise.internal.engine;

import io.mortise.internal.concurrent.Trampoline;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a check at a steady period, as long as there is something to check. */
final class Heartbeat {
  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

  private final Store store;
  private final Duration period;
  private final Runnable look;
  private final BooleanSupplier wanted;

  /** Whether a timer runs. */
  private final AtomicBoolean beating = new AtomicBoolean();

  private volatile @Nullable Timer timer;

  Heartbeat(Store store, long nanos, Runnable look, BooleanSupplier wanted) {
    this.store = store;
    this.period = Duration.ofNanos(nanos);
    this.look = look;
    this.wanted = wanted;
  }

  /** Starts the timer if it does not run. Called whenever there is something new to check. */
  void start() {
    if (beating.get() || store.isClosed() || !beating.compareAndSet(false, true)) {
      return;
    }
    try {
      timer = store.time().schedule(this::beat, period);
    } catch (Throwable e) { // an Error too: the next call tries it again
      beating.set(false);
      throw e;
    }
  }

  private void beat() {
    if (!store.isClosed()) {
      Trampoline.step(this::lookAndGoOn);
    }
  }

  private void lookAndGoOn() {
    try {
      look.run();
    } catch (Throwable e) { // an Error too: the timer's thread is not the place to throw it
      log.error("{}: a regular check failed; the next is in {}", store, period, e);
    } finally {
      beating.set(false);
      if (wanted.getAsBoolean()) {
        start();
      }
    }
  }

  void close() {
    Timer pending = timer;
    if (pending != null) {
      pending.close();
    }
  }
}
