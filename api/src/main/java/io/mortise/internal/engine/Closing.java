package io.mortise.internal.engine;

import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a service in two steps: it lets holds end, then it gives back what is bound to no thread.
 *
 * <p>A closing thread waits for a hold only if somebody may still end it: not for its own, nor for
 * those of dead threads or of leases that nobody has any more. A hold has ended when the answer to
 * its release is there, not when its thread wants to leave: the backend is needed until then.
 */
final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  /** So often a draining thread looks for holders that are gone: nobody tells of them. */
  private static final long LOOK = Duration.ofSeconds(1).toNanos();

  private final Store store;
  private final ServicePhase phase;
  private final Acquisitions acquisitions;
  private final Gates gates;
  private final LeaseRequests requests;
  private final ConditionWaiters conditions;

  Closing(
      Store store,
      Acquisitions acquisitions,
      Gates gates,
      LeaseRequests requests,
      ConditionWaiters conditions) {
    this.store = store;
    phase = store.phase();
    this.acquisitions = acquisitions;
    this.gates = gates;
    this.requests = requests;
    this.conditions = conditions;
  }

  /**
   * Takes no more work, and waits until the holds have ended.
   *
   * @return whether they have
   */
  boolean drain(Duration longest) {
    if (phase.drain()) {
      giveBack(turnAway());
    }
    return await(longest);
  }

  /** Ends what no thread is inside of: those who wait, and leases. */
  void giveBackAll() {
    List<Acquisition> unwanted = turnAway();
    unwanted.addAll(endLeases());
    giveBack(unwanted);
    phase.released(); // see ServicePhase.close
    awaitAnswers(phase.allReleased());
  }

  /** Ends all waiting; returns what the store may know of it. */
  private List<Acquisition> turnAway() {
    List<Acquisition> unwanted = new ArrayList<>();
    for (Gate gate : gates.all()) {
      Acquisition unclaimed = gate.turnAway();
      if (unclaimed != null) {
        unwanted.add(unclaimed);
      }
    }
    conditions.close();
    requests.close(); // before: from here on no claim asks or is given anything
    acquisitions.all().stream()
        .filter(each -> !each.lease().wasTaken() && each.place().mayBeKnown())
        .forEach(unwanted::add);
    return unwanted;
  }

  /** Ends the leases that are bound to no thread. Their holders are told, before others have it. */
  private List<Acquisition> endLeases() {
    String reason = "its service %s was closed, and gave it back".formatted(store.clientId());
    return acquisitions.all().stream()
        .filter(each -> each.owner() instanceof LeaseRequest claim && claim.lose(each, reason))
        .toList();
  }

  /** Sends all at once, and waits for the answers, but not for long. */
  private void giveBack(List<Acquisition> unwanted) {
    if (unwanted.isEmpty()) {
      return;
    }
    unwanted.forEach(acquisitions::forget);
    List<ScriptCall> calls =
        unwanted.stream()
            .map(one -> store.scripts().leave(one.keys(), one.id(), one.mayArriveLate()))
            .toList();
    CompletableFuture<?>[] replies =
        store.backend().executeAll(calls).toArray(CompletableFuture<?>[]::new);
    awaitAnswers(CompletableFuture.allOf(replies));
  }

  private void awaitAnswers(CompletableFuture<?> answers) {
    try {
      answers.get(store.options().commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("not all could be given back to the store; it ends there by itself", e);
    }
  }

  /** Waits until all holds have ended; an interrupt ends the waiting, and is kept. */
  private boolean await(Duration longest) {
    long start = store.now();
    long wait =
        longest.compareTo(Duration.ofNanos(Long.MAX_VALUE / 4)) < 0
            ? longest.toNanos()
            : Long.MAX_VALUE / 4;
    Thread self = Thread.currentThread();
    phase.watch(self);
    try {
      while (!isIdle()) {
        long left = wait - (store.now() - start);
        if (left <= 0 || phase.isClosed() || self.isInterrupted()) {
          return false;
        }
        store.time().parkNanos(this, Math.min(left, LOOK));
      }
      return true;
    } finally {
      phase.unwatch(self);
    }
  }

  private boolean isIdle() {
    return acquisitions.all().stream().noneMatch(this::isWaitedFor) && !phase.isReleasing();
  }

  private boolean isWaitedFor(Acquisition each) {
    if (!each.lease().isHeld()) {
      return each.lease().wasTaken(); // its release is out, or about to be sent
    }
    Acquisition.Owner.Holder holder = each.owner().holder(each);
    return holder == null || (holder.gone() == null && !isOwn(each));
  }

  private static boolean isOwn(Acquisition held) {
    Thread self = Thread.currentThread();
    if (held.owner() instanceof LeaseRequest claim) {
      return claim.isOf(self);
    }
    Hold inside = held.owner() instanceof Gate gate ? gate.hold() : null;
    return inside != null && inside.isOf(self);
  }
}
