package io.mortise.internal.engine;

import io.mortise.LockAttempt.Outcome;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lease requests of a service that have not ended. While there are any, or gates of leases, one
 * timer runs. It fires twenty times per re-check period, and sends the commands of all requests
 * that are due. Thread-safe.
 */
public final class LeaseRequests implements LeaseRequest.Home {
  private static final int BEATS_PER_CHECK = 20;

  private final Parts parts;
  private final Store store;

  /** By the future that each completes, on which a thread may park. */
  private final Map<Object, LeaseRequest> pending = new ConcurrentHashMap<>();

  private final Set<Runnable> onClose = ConcurrentHashMap.newKeySet();
  private final Heartbeat beat;
  private final Gates gates;

  /** By lock or semaphore of which the service uses leases. An unused one has no gate. */
  private final Map<String, LeaseGate> leaseGates = new ConcurrentHashMap<>();

  LeaseRequests(Parts parts, Gates gates) {
    this.parts = parts;
    this.gates = gates;
    store = parts.store();
    beat = new Heartbeat(store, store.recheck() / BEATS_PER_CHECK, this::look, this::areAny);
  }

  /**
   * Asks for a lease that is bound to no thread.
   *
   * @param wait how long to wait (ns), as {@link LeaseSource} has it
   * @param here whether the calling thread waits for the result. Then it sends the first command
   * @param result completed on the thread that delivers the reply, so nothing that blocks may
   *     depend on it. If a caller completes it first, the request is withdrawn.
   * @return what the calling thread runs before each sleep, if it waits for the result
   */
  public Runnable start(
      Wanted wanted, long wait, boolean here, CompletableFuture<LeaseOutcome> result) {
    try {
      store.checkOpen(wanted.keys());
      return start(new LeaseRequest(this, wanted, wait, here, result), result);
    } catch (LockServiceClosedException e) {
      long now = store.now();
      AttemptEvents told = parts.events().attempts();
      Trampoline.step(() -> {
        told.notAcquired(told.begins(wanted.keys(), now), Outcome.FAILED, e, now).run();
        result.completeExceptionally(e);
      });
      return () -> {};
    }
  }

  private Runnable start(LeaseRequest request, CompletableFuture<LeaseOutcome> result) {
    try {
      add(request, result);
      CompletableFuture<LeaseOutcome> unused =
          result.whenComplete((value, failed) -> request.end(unwanted(failed)));
      request.start();
      return request::look;
    } catch (Throwable e) { // an Error too: nobody would ask for it, or withdraw it
      request.end(e);
      throw e;
    }
  }

  /** A caller has completed the result itself: by an interrupt, or because it wants it no more. */
  private static CancellationException unwanted(@Nullable Throwable why) {
    CancellationException unwanted = new CancellationException();
    if (why instanceof InterruptedException) {
      unwanted.initCause(why);
    }
    return unwanted;
  }

  /** Before it can end. The result is its own, so it is known by that. */
  private void add(LeaseRequest request, CompletableFuture<LeaseOutcome> result) {
    pending.put(result, request);
    beat.start();
    if (!store.takesWork()) {
      close(request);
    }
  }

  @Override
  public Parts parts() {
    return parts;
  }

  @Override
  public boolean makesRoom(LockKeys lock, Runnable then) {
    return gates.makesRoom(lock, then);
  }

  @Override
  public @Nullable LeaseGate gate(Wanted wanted) {
    LockKind kind = wanted.keys().kind();
    if (!(kind == LockKind.SEMAPHORE || isPlain(wanted))
        || store.options().mostHandOffs(kind) == 0
        || !wanted.terms().equals(store.defaultLease())) {
      return null;
    }
    return leaseGates.compute(
        wanted.keys().lock(),
        (lock, known) -> {
          LeaseGate gate = known == null ? new LeaseGate(store, parts.releases()) : known;
          gate.enter(); // in here, so that it is not removed before
          return gate;
        });
  }

  /** A member of a lock of several has one command at a known time, and keeps its place. */
  private static boolean isPlain(Wanted wanted) {
    return wanted.keys().kind() == LockKind.PLAIN && !wanted.member();
  }

  @Override
  public @Nullable Runnable passOn(LeaseGrant from, Acquisition held) {
    LeaseGate gate = leaseGates.get(from.keys().lock());
    return gate == null ? null : gate.passOn(from, held);
  }

  @Override
  @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself alone
  public void remove(CompletableFuture<LeaseOutcome> result) {
    pending.remove(result);
  }

  @Override
  public boolean isWaitFor(Object blocker, LockKeys lock) {
    boolean ours = blocker.getClass() == CompletableFuture.class; // or its hashCode might be slow
    LeaseRequest request = ours ? pending.get(blocker) : null;
    return request != null && request.keys().queue().equals(lock.queue());
  }

  /**
   * Runs a task when the service is closed, or at once if it is closed already. An object can be
   * registered once.
   */
  public Registration onClose(Runnable task) {
    onClose.add(task);
    if (!store.takesWork()) {
      task.run();
    }
    return () -> onClose.remove(task);
  }

  /** The requests that have not ended. */
  Collection<LeaseRequest> all() {
    return pending.values();
  }

  private boolean areAny() {
    return !pending.isEmpty() || areLeaseGates();
  }

  boolean areLeaseGates() {
    return !leaseGates.isEmpty();
  }

  /** Forgets the gates that no request uses, and whose leases are not passed on any more. */
  private void forgetIdleGates() {
    for (String lock : leaseGates.keySet()) {
      leaseGates.computeIfPresent(lock, (key, gate) -> gate.isIdle() ? null : gate);
    }
  }

  private void look() {
    forgetIdleGates();
    store.batcher().send(pending.values().stream().filter(LeaseRequest::isDue).toList());
  }

  /** Ends all requests: the service is closed. Called in a step. */
  void close() {
    beat.close();
    Trampoline.all(onClose.toArray(Runnable[]::new)).run();
    List.copyOf(pending.values()).forEach(this::close);
  }

  private void close(LeaseRequest request) {
    request.end(
        new LockServiceClosedException(
            "%s was waited for when its service %s was closed"
                .formatted(request.keys().text(), store.clientId())));
  }
}
