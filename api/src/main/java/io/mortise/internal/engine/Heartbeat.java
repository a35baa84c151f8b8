package io.mortise.internal.engine;

import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after something at a steady pace, as long as there is something to look after. */
final class Heartbeat {
  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

  private final Engine engine;
  private final Duration period;
  private final Runnable look;
  private final BooleanSupplier wanted;
  private final AtomicBoolean beating = new AtomicBoolean();
  private volatile @Nullable Timer timer;

  Heartbeat(Engine engine, long nanos, Runnable look, BooleanSupplier wanted) {
    this.engine = engine;
    this.period = Duration.ofNanos(nanos);
    this.look = look;
    this.wanted = wanted;
  }

  /** Called whenever there is something new to look after. */
  void start() {
    if (!engine.isClosed() && beating.compareAndSet(false, true)) {
      timer = engine.time().schedule(this::beat, period);
    }
  }

  private void beat() {
    if (!engine.isClosed()) {
      Trampoline.step(this::lookAndGoOn);
    }
  }

  private void lookAndGoOn() {
    try {
      look.run();
    } catch (RuntimeException e) {
      log.error("{}: a regular look failed; the next is in {}", engine, period, e);
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
