package io.mortise.engine;

import io.mortise.LockServiceClosedException;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far a service is closed, and the threads that wait for its holds to end.
 *
 * <pre>
 *   OPEN      takes work
 *   DRAINING  takes no new work, and nobody waits any more; what is held is held and renewed, and
 *             may be entered again, extended, looked at and released
 *   CLOSED    everything is refused; nothing is renewed
 *
 *   OPEN      close(time)                                        DRAINING
 *   OPEN      close()                                            CLOSED
 *   DRAINING  the last hold has ended, the time is over, the     CLOSED
 *             closing thread is interrupted, or close()
 * </pre>
 *
 * <p>A closing thread waits for a hold only if somebody may still end it: not for its own, nor for
 * those of dead threads or of leases that nobody has any more. A hold has ended when the answer to
 * its release is there, not when its thread wants to leave: the backend is needed until then.
 */
final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  private enum Phase {
    OPEN,
    DRAINING,
    CLOSED
  }

  /** So often a draining thread looks for holders that are gone: nobody tells of them. */
  private static final long LOOK = Duration.ofSeconds(1).toNanos();

  private final Engine engine;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);
  private final AtomicInteger releases = new AtomicInteger();
  private final CompletableFuture<Void> allReleased = new CompletableFuture<>();
  private final Set<Thread> draining = ConcurrentHashMap.newKeySet();

  Closing(Engine engine) {
    this.engine = engine;
  }

  boolean takesWork() {
    return phase.get() == Phase.OPEN;
  }

  boolean isClosed() {
    return phase.get() == Phase.CLOSED;
  }

  /**
   * Takes no more work, and waits until the holds have ended.
   *
   * @return whether they have
   */
  boolean drain(Collection<Gate> gates, Duration longest) {
    if (phase.compareAndSet(Phase.OPEN, Phase.DRAINING)) {
      giveBack(turnAway(gates));
    }
    return await(longest);
  }

  /**
   * Whether this call closed the service; wakes those who wait for the holds to end. The call that
   * did counts as one that releases until it has looked at everything.
   */
  boolean close() {
    releases.incrementAndGet();
    boolean first = phase.getAndSet(Phase.CLOSED) != Phase.CLOSED;
    if (!first) {
      released();
    }
    wake();
    return first;
  }

  /** Ends what no thread is inside of: those who wait, and leases. */
  void giveBackAll(Collection<Gate> gates) {
    List<Acquisition> unwanted = turnAway(gates);
    unwanted.addAll(endLeases());
    giveBack(unwanted);
    released();
    awaitAnswers(allReleased);
  }

  /** Ends all waiting; returns what the store may know of it. */
  private List<Acquisition> turnAway(Collection<Gate> gates) {
    List<Acquisition> unwanted = new ArrayList<>();
    for (Gate gate : gates) {
      Acquisition unclaimed = gate.turnAway();
      if (unclaimed != null) {
        unwanted.add(unclaimed);
      }
    }
    engine.conditions().close();
    engine.claims().close(); // before: from here on no claim asks or is given anything
    engine.acquisitions().stream()
        .filter(each -> !each.wasTaken() && each.mayBeKnown())
        .forEach(unwanted::add);
    return unwanted;
  }

  /** Ends the leases that are bound to no thread. Their holders are told, before others have it. */
  private List<Acquisition> endLeases() {
    String reason = "its service %s was closed, and gave it back".formatted(engine.clientId());
    return engine.acquisitions().stream()
        .filter(each -> each.owner() instanceof Claim claim && claim.lose(each, reason))
        .toList();
  }

  /** Sends all at once, and waits for the answers, but not for long. */
  private void giveBack(List<Acquisition> unwanted) {
    if (unwanted.isEmpty()) {
      return;
    }
    unwanted.forEach(engine::forget);
    List<ScriptCall> calls =
        unwanted.stream()
            .map(one -> engine.scripts().leave(one.keys(), one.id(), one.mayArriveLate()))
            .toList();
    CompletableFuture<?>[] replies =
        engine.backend().executeAll(calls).toArray(CompletableFuture<?>[]::new);
    awaitAnswers(CompletableFuture.allOf(replies));
  }

  LockServiceClosedException refusal(String what) {
    return new LockServiceClosedException(
        "%s: its service %s is %s; open a new one"
            .formatted(what, engine.clientId(), isClosed() ? "closed" : "closing"));
  }

  /**
   * Something is about to be given back: a hold, or a place in the queue. Said before it ends or is
   * forgotten, so that closing the service finds it, or waits for {@link #released}.
   *
   * @return false if the service is closed
   */
  boolean releasing() {
    releases.incrementAndGet();
    return !isClosed();
  }

  /** It was answered, or goes on in the background. */
  void released() {
    if (releases.decrementAndGet() == 0 && isClosed()) {
      allReleased.complete(null);
    }
    ended();
  }

  private void awaitAnswers(CompletableFuture<?> answers) {
    try {
      answers.get(engine.settings().commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("not all could be given back to the store; it ends there by itself", e);
    }
  }

  /** An acquisition is over. */
  void ended() {
    if (!takesWork()) {
      wake();
    }
  }

  private void wake() {
    draining.forEach(engine.time()::unpark);
  }

  /** Waits until all holds have ended; an interrupt ends the waiting, and is kept. */
  private boolean await(Duration longest) {
    long start = engine.now();
    long wait =
        longest.compareTo(Duration.ofNanos(Long.MAX_VALUE / 4)) < 0
            ? longest.toNanos()
            : Long.MAX_VALUE / 4;
    Thread self = Thread.currentThread();
    draining.add(self);
    try {
      while (!isIdle()) {
        long left = wait - (engine.now() - start);
        if (left <= 0 || isClosed() || self.isInterrupted()) {
          return false;
        }
        engine.time().parkNanos(this, Math.min(left, LOOK));
      }
      return true;
    } finally {
      draining.remove(self);
    }
  }

  private boolean isIdle() {
    return engine.acquisitions().stream().noneMatch(this::isWaitedFor) && releases.get() == 0;
  }

  private boolean isWaitedFor(Acquisition each) {
    if (!each.isHeld()) {
      return each.wasTaken(); // its release is out, or about to be sent
    }
    Owner.Holder holder = each.owner().holder(each);
    return holder == null || (holder.gone() == null && !isOwn(each));
  }

  private static boolean isOwn(Acquisition held) {
    Thread self = Thread.currentThread();
    if (held.owner() instanceof Claim claim) {
      return claim.isOf(self);
    }
    Hold inside = held.owner() instanceof Gate gate ? gate.hold() : null;
    return inside != null && inside.isOf(self);
  }
}
