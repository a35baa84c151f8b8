package io.mortise.internal.engine;

import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.ServiceOptions;

import io.mortise.LeaseState;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all holds of a service, and reports those that end.
 *
 * <p>One timer beats while anything is held, thirty times per lease, and at least six times in the
 * time of a grant that a hold may begin with. Each beat looks at every hold: those last renewed a
 * third of the lease ago are renewed, a hundred per command, all commands at once; a hold whose
 * deadline falls before the next beat gets a timer of its own. So taking and releasing a lock costs
 * the keeper nothing but, at the first of many, one timer.
 */
public final class LeaseKeeper {
  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int BATCH = 100;
  private static final int BEATS_PER_LEASE = 30;
  private static final int TRIES_PER_GRANT = 6;
  private static final long SHORTEST_BEAT = Duration.ofMillis(3).toNanos();
  private static final int LEASES_BEFORE_WARNING = 10;

  private final Engine engine;
  private final long lease;
  private final long shortest;
  private final long period;

  /** So long a hold that has begun on a grant waits for its confirmation before it tries again. */
  private final Duration confirmTimeout;

  private final Heartbeat beat;

  LeaseKeeper(Engine engine) {
    this.engine = engine;
    lease = engine.settings().leaseTime().toNanos();
    shortest = engine.settings().shortestGiven(engine.defaultLease());
    long part = shortest / TRIES_PER_GRANT;
    period = Math.max(SHORTEST_BEAT, Math.min(lease / BEATS_PER_LEASE, part));
    long timeout = engine.settings().commandTimeout().toNanos();
    confirmTimeout = Duration.ofNanos(Math.min(timeout, part));
    beat = new Heartbeat(engine, period, this::look, this::isAnythingHeld);
  }

  /** Called once for each acquisition that has just been taken. */
  void watch(Acquisition taken) {
    if (taken.remaining(engine.now()) <= period + period / 2) {
      timeEnd(taken);
    }
    beat.start();
  }

  private boolean isAnythingHeld() {
    return engine.acquisitions().stream().anyMatch(Acquisition::isHeld);
  }

  private void look() {
    long now = engine.now();
    List<Acquisition> due = new ArrayList<>();
    for (Acquisition acquisition : engine.acquisitions()) {
      if (!acquisition.isHeld()) {
        continue;
      }
      if (acquisition.remaining(now) <= 2 * period) {
        timeEnd(acquisition);
      }
      if (acquisition.lease().renewed() && isDue(acquisition, now) && hasLivingOwner(acquisition)) {
        due.add(acquisition);
      }
    }
    if (!due.isEmpty()) {
      renew(due);
    }
  }

  private boolean isDue(Acquisition held, long now) {
    boolean third = now - held.renewedAt() >= lease / 3 - period / 2;
    return third && held.beginRenewal();
  }

  private boolean hasLivingOwner(Acquisition held) {
    AcquisitionOwner.Holder holder = held.owner().holder(held);
    if (holder == null) {
      return true;
    }
    warnOfLongHold(held, holder);
    warnOfOwnWait(held, holder);
    if (holder.gone() == null) {
      return true;
    }
    if (held.warnOnce(Acquisition.Warning.OWNER_DIED)) {
      log.warn(
          "{}: {} {}; renewal stops and the lease ends in {} ms (docs/troubleshooting.md#owner-died)",
          held.keys().text(),
          holder.who(),
          holder.gone(),
          Duration.ofNanos(held.remaining(engine.now())).toMillis());
    }
    held.endRenewal();
    return false;
  }

  private void warnOfLongHold(Acquisition held, AcquisitionOwner.Holder holder) {
    long heldFor = engine.now() - holder.since();
    if (heldFor > LEASES_BEFORE_WARNING * lease && held.warnOnce(Acquisition.Warning.LONG_HOLD)) {
      log.warn(
          "{} has been held by {} for {} s and is still renewed (docs/troubleshooting.md#long-hold)",
          held.keys().text(),
          holder.who(),
          Duration.ofNanos(heldFor).toSeconds());
    }
  }

  /** That is no error: another thread may be about to release it. */
  private void warnOfOwnWait(Acquisition held, AcquisitionOwner.Holder holder) {
    Thread waiting = held.owner().waitingForItself();
    if (waiting != null && held.warnOnce(Acquisition.Warning.OWN_WAIT)) {
      log.warn(
          "{}: thread {} ({}) waits for it, and has itself acquired {}, {} s ago; unless another thread releases that, the wait does not end (docs/troubleshooting.md#own-lease)",
          held.keys().text(),
          waiting.getName(),
          waiting.getId(),
          holder.who(),
          Duration.ofNanos(engine.now() - holder.since()).toSeconds());
    }
  }

  // Renewal

  private void renew(List<Acquisition> due) {
    List<List<Acquisition>> batches = new ArrayList<>();
    for (int from = 0; from < due.size(); from += BATCH) {
      batches.add(due.subList(from, Math.min(due.size(), from + BATCH)));
    }
    long sentAt = engine.now();
    List<ScriptCall> calls =
        batches.stream()
            .map(batch -> engine.scripts().renew(batch, engine.defaultLease(), timeout(batch)))
            .toList();
    List<CompletableFuture<List<Object>>> replies;
    try {
      replies = engine.backend().executeAll(calls);
    } catch (RuntimeException e) {
      due.forEach(Acquisition::endRenewal);
      due.forEach(held -> failed(held, String.valueOf(e)));
      throw e;
    }
    for (int i = 0; i < replies.size(); i++) {
      List<Acquisition> batch = batches.get(i);
      Engine.whenReplied(
          replies.get(i),
          (reply, failure) -> {
            batch.forEach(Acquisition::endRenewal);
            if (reply != null) {
              answered(batch, reply, sentAt);
            } else {
              batch.forEach(held -> failed(held, String.valueOf(failure)));
            }
          });
    }
  }

  private Duration timeout(List<Acquisition> batch) {
    ServiceOptions settings = engine.settings();
    long now = engine.now();
    boolean soon = batch.stream().anyMatch(held -> held.remaining(now) <= shortest);
    return settings.startOnGrant() && soon ? confirmTimeout : settings.commandTimeout();
  }

  private void answered(List<Acquisition> batch, List<Object> reply, long sentAt) {
    for (int i = 0; i < batch.size(); i++) {
      confirm(batch.get(i), engine.defaultLease(), (Long) reply.get(i), sentAt);
    }
  }

  /**
   * What the renew script said of one hold.
   *
   * @return whether it is held
   */
  boolean confirm(Acquisition held, LeaseTerms policy, long answer, long sentAt) {
    if (answer != 1) {
      held.owner().lose(held, "its key was deleted, or is no longer this acquisition's");
      return false;
    }
    LeaseState before =
        held.renewed(policy, engine.defaultLease(), sentAt, engine.now(), engine.longestHold());
    if (before == LeaseState.SUSPECT) {
      engine.events().recovered(held, engine.now());
    }
    if (before == LeaseState.LOST) {
      held.owner().lose(held, whyEnded(held));
    }
    return held.isHeld();
  }

  private void failed(Acquisition held, String reason) {
    if (held.suspect(reason)) {
      engine.events().suspect(held, reason, engine.now());
    }
  }

  // Ends

  private void timeEnd(Acquisition held) {
    long deadline = held.deadline();
    if (held.timeEnd(deadline)) {
      engine
          .time()
          .schedule(() -> atDeadline(held), Duration.ofNanos(held.remaining(engine.now())));
    }
  }

  private void atDeadline(Acquisition held) {
    if (engine.isClosed() || !held.isHeld()) {
      return;
    }
    if (held.remaining(engine.now()) == 0) {
      held.owner().lose(held, whyEnded(held));
    } else {
      timeEnd(held);
    }
  }

  /** Why a lease ended by itself, as far as is known; for people. */
  public String whyEnded(Acquisition held) {
    if (!held.lease().renewed()) {
      return "its lease ended, which was fixed at %s ms".formatted(held.lease().millis());
    }
    if (held.deadline() - held.acquiredAt() - engine.longestHold() >= 0) {
      return "its lease ended: it was held for as long as maxHold %s allows"
          .formatted(engine.settings().maxHold());
    }
    AcquisitionOwner.Holder holder = held.owner().holder(held);
    if (holder != null && holder.gone() != null) {
      return "its lease ended: %s %s, so it was not renewed".formatted(holder.who(), holder.gone());
    }
    String trouble = held.lastTrouble();
    return trouble == null
        ? "its lease ended before a renewal was answered"
        : "its lease ended before a renewal succeeded; the last failed: " + trouble;
  }

  void close() {
    beat.close();
  }
}
