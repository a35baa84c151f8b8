package io.mortise.internal.engine;

import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.HeldLease.Loss;
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
 * Closes a service in two steps. First it lets holds end. Then it gives back the leases that are
 * bound to no thread.
 *
 * <p>A closing thread waits for a hold only if somebody may still end it. It does not wait for its
 * own holds, for those of dead threads, or for dropped leases. A hold has ended when the reply to
 * its release is there, not when its thread calls unlock: until then the backend is needed.
 */
final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  /** How often a draining thread looks for holders that are gone: no event reports them (ns). */
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
   * @return whether they have ended
   */
  boolean drain(Duration longest) {
    if (phase.drain()) {
      awaitAnswers(giveBackPlaces());
    }
    return await(longest);
  }

  /** Ends all waits, and the leases that are bound to no thread. */
  void giveBackAll() {
    try {
      CompletableFuture<?> places = giveBackPlaces();
      awaitAnswers(CompletableFuture.allOf(places, giveBack(endLeases())));
    } finally {
      phase.released(); // see ServicePhase.close
    }
    awaitAnswers(phase.allReleased());
  }

  /** No listener of a wait runs in place before the command is sent that takes it back. */
  private CompletableFuture<?> giveBackPlaces() {
    return Trampoline.step(() -> giveBack(turnAway()));
  }

  /** Ends all waiting. Returns the acquisitions that the store may know. */
  private List<Acquisition> turnAway() {
    List<Acquisition> unwanted = new ArrayList<>();
    for (Gate gate : gates.all()) {
      Acquisition handedOff = gate.turnAway();
      if (handedOff != null) {
        unwanted.add(handedOff);
      }
    }
    gates.ofReaders().forEach(ReadGate::turnAway);
    conditions.askAll(); // so that they notice
    requests.close(); // first: from here on no lease request asks, or is given anything
    acquisitions.all().stream()
        .filter(each -> !each.lease().wasTaken() && each.place().mayBeKnown())
        .forEach(unwanted::add);
    return unwanted;
  }

  /**
   * Ends the leases that are bound to no thread. Their holders are notified before the store can
   * grant the locks to others.
   */
  private List<Acquisition> endLeases() {
    Loss why =
        new Loss(
            LossCause.SERVICE_CLOSED,
            "its service %s was closed, and gave it back".formatted(store.clientId()));
    return Trampoline.step(() ->
        acquisitions.all().stream()
            .filter(each -> each.grant().endsAtClose() && each.grant().lose(each, why))
            .toList());
  }

  /** Sends all commands at once. The replies complete the future. */
  private CompletableFuture<?> giveBack(List<Acquisition> unwanted) {
    if (unwanted.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    unwanted.forEach(acquisitions::forget);
    List<ScriptCall> calls =
        unwanted.stream()
            .map(one -> store.scripts().leave(one.keys(), one.id(), one.mayArriveLate()))
            .toList();
    CompletableFuture<?>[] replies =
        store.batcher().sendAll(calls).toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(replies);
  }

  /** Waits for the replies, but at most one command timeout. */
  private void awaitAnswers(CompletableFuture<?> answers) {
    try {
      Object unused = Futures.get(answers, store.options().commandTimeout());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      log.debug("not all could be given back to the store; it ends there by itself", e);
    }
  }

  /**
   * Waits until all holds have ended. An interrupt ends the wait, and the interrupt flag stays set.
   */
  private boolean await(Duration longest) {
    long start = store.now();
    long nanos = Math.max(0, TimeUnit.NANOSECONDS.convert(longest));
    long wait = Math.min(nanos, Long.MAX_VALUE / 4);
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

  @SuppressWarnings(
      "ReferenceEquality") // compares identity, whatever equals of the thread's class says
  private boolean isWaitedFor(Acquisition each) {
    if (!each.lease().isHeld()) {
      return each.lease().wasTaken(); // its release is out, or about to be sent
    }
    List<Acquisition.Grant.Holder> holders = each.grant().holders(each);
    Thread self = Thread.currentThread();
    return holders.isEmpty()
        || holders.stream().anyMatch(one -> one.gone() == null && one.thread() != self);
  }
}
