package io.mortise.internal.engine;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a lease request, as the application sees it. The engine refers to it weakly, so that
 * it notices a lease that was dropped. Thread-safe.
 */
final class LeaseHandle implements MemberLease {
  private final Parts parts;
  private final Store store;
  private final LeaseGrant grant;
  private final Acquisition acquisition;
  private final long since;

  /** Whether it was released, or is about to be. */
  private volatile boolean closed;

  /** Whether it has given back a part of its permits, or is about to. */
  private boolean parted;

  /** How many permits it has; 0 once it has given back all of them. */
  private volatile int permits;

  /**
   * @param grant has the hold, and is told of its end
   * @param since when the hold began
   */
  LeaseHandle(LeaseGrant grant, Acquisition acquisition, long since) {
    this.grant = grant;
    parts = grant.parts();
    store = parts.store();
    this.since = since;
    this.acquisition = acquisition;
    permits = taken();
  }

  /** How many permits it has taken. */
  private int taken() {
    return Math.max(1, acquisition.keys().permits());
  }

  @Override
  public String name() {
    return acquisition.keys().name();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // grants are compared by identity
  public LeaseState state() {
    LeaseState known = acquisition.lease().state(store.now()); // first: it may be passed on
    return acquisition.grant() == grant ? known : LeaseState.RELEASED;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // grants are compared by identity
  public boolean isValid() {
    boolean known = acquisition.lease().isValid(store.now()); // first: it may be passed on
    return known && acquisition.grant() == grant;
  }

  @Override
  public Duration untilLost() {
    LeaseState now = state();
    boolean held = now == LeaseState.HELD || now == LeaseState.SUSPECT;
    return Duration.ofNanos(held ? acquisition.lease().untilLost(store.now()) : 0);
  }

  @Override
  public CompletableFuture<Boolean> settling() {
    return acquisition.lease().isUnsure(store.now()) && state() == LeaseState.SUSPECT
        ? parts.keeper().settleAsync(acquisition)
        : CompletableFuture.completedFuture(isValid());
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(isValid() ? acquisition.lease().remaining(store.now()) : 0);
  }

  @Override
  public OptionalLong fencingToken() {
    long token = acquisition.lease().token();
    return token == 0 ? OptionalLong.empty() : OptionalLong.of(token);
  }

  @Override
  public int permits() {
    return permits;
  }

  // Extending

  @Override
  public boolean extend(Duration lease) {
    LeaseTerms wanted = wanted(lease);
    return isStillHeld() && parts.keeper().extend(acquisition, wanted);
  }

  @Override
  public CompletableFuture<Boolean> extendAsync(Duration lease) {
    return Futures.on(parts.events()::execute, extending(lease));
  }

  @Override
  public CompletableFuture<Boolean> extending(Duration lease) {
    return extending(wanted(lease));
  }

  @Override
  public CompletableFuture<Boolean> renewing(Duration lease) {
    return extending(wanted(lease).renewedIf(true));
  }

  private CompletableFuture<Boolean> extending(LeaseTerms wanted) {
    return isStillHeld()
        ? parts.keeper().extendAsync(acquisition, wanted)
        : CompletableFuture.completedFuture(false);
  }

  /** Terms of the given length, renewed if the lease was renewed before. */
  private LeaseTerms wanted(Duration lease) {
    LeaseTerms fixed = LeaseTerms.fixed(lease);
    if (fixed.nanos() > store.defaultLease().nanos() && state() != LeaseState.RELEASED) {
      acquisition.lease().lengthen(); // and looks again: it may have been passed on just before
    }
    if (state() == LeaseState.RELEASED) {
      throw released();
    }
    return fixed.renewedIf(acquisition.lease().terms().renewed());
  }

  private IllegalStateException released() {
    return new IllegalStateException(
        "the lease %s of %s was released; acquire again"
            .formatted(acquisition.id(), acquisition.keys().text()));
  }

  @Override
  public void joinMajority(@Nullable Thread owner) {
    acquisition.lease().allowForDrift();
    grant.belongsTo(owner);
  }

  @Override
  public void joins(Object whole) {
    grant.joins(whole);
  }

  @Override
  public void staysLong() {
    boolean unused = acquisition.lease().warnOnce(HeldLease.Warning.LONG_HOLD);
  }

  // Ending

  @Override
  public Lease onLost(Consumer<? super LeaseChange> listener) {
    grant.onLost(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public void close() {
    close(0);
  }

  @Override
  public void closeAfter(Duration after) {
    close(LeaseTerms.rest(after));
  }

  /** One step with {@link #takesAll}, so that no part is given back of what is passed on. */
  private synchronized boolean closes() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  private void close(long rest) {
    if (!closed) {
      parts.store().time().checkMayPark();
    }
    if (closes()) {
      keep(rest);
      Trampoline.step(this::end);
    }
  }

  private void keep(long rest) {
    if (rest > 0) {
      acquisition.lease().keepUntil(store.now() + rest);
    }
  }

  private void end() {
    long now = store.now();
    if (!isStillHeld()) {
      throw lost();
    }
    if (passesOn()) {
      reportPassedOn(now);
    } else if (parts.releases().endAndRelease(acquisition)) {
      reportReleased(now);
    } else {
      throw lost();
    }
  }

  /** What is left after a part was given back belongs to an id that had more. */
  private boolean passesOn() {
    return !parted && grant.passesOn(acquisition);
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return Futures.on(parts.events()::execute, releasing(0));
  }

  @Override
  public CompletableFuture<Void> releasing(long rest) {
    if (!closes()) {
      return CompletableFuture.completedFuture(null);
    }
    keep(rest);
    return ending();
  }

  private CompletableFuture<Void> ending() {
    long now = store.now();
    if (!isStillHeld()) {
      return CompletableFuture.failedFuture(lost());
    }
    if (passesOn()) {
      parts.events().execute(() -> reportPassedOn(now));
      return CompletableFuture.completedFuture(null);
    }
    return parts
        .releases()
        .endAndReleaseAsync(acquisition)
        .thenAccept(had -> {
          if (!had) {
            throw lost();
          }
          parts.events().execute(() -> reportReleased(now));
        });
  }

  // Giving back a part

  @Override
  public void release(int some) {
    parts.store().time().checkMayPark();
    Trampoline.step(() -> {
      if (!isStillHeld()) {
        throw lost();
      }
      if (takesAll(some)) {
        end();
      } else {
        checkHad(parts.permitReturns().give(acquisition, returned()));
      }
    });
  }

  @Override
  public CompletableFuture<Void> releaseAsync(int some) {
    return Futures.on(parts.events()::execute, releasingSome(some));
  }

  private CompletableFuture<Void> releasingSome(int some) {
    if (!isStillHeld()) {
      return CompletableFuture.failedFuture(lost());
    }
    return takesAll(some)
        ? ending()
        : parts.permitReturns().giveAsync(acquisition, returned()).thenAccept(this::checkHad);
  }

  /** How many permits it has given back so far. */
  private int returned() {
    return taken() - permits;
  }

  /**
   * Takes permits off the lease.
   *
   * @return whether they are all that it has; then it is about to end
   */
  private synchronized boolean takesAll(int some) {
    check(some);
    permits -= some;
    closed = permits == 0;
    parted |= !closed;
    return closed;
  }

  private void check(int some) {
    if (closed) {
      throw released();
    }
    if (some < 1 || some > permits) {
      throw new IllegalArgumentException(
          "%d permits were given back of the lease %s of %s, which has %d; give back at least 1, and at most as many as it has"
              .formatted(some, acquisition.id(), acquisition.keys().text(), permits));
    }
  }

  /** If the store no longer had the lease, it is lost, unless it was released meanwhile. */
  private void checkHad(boolean had) {
    if (!had) {
      boolean unused = grant.lose(acquisition, PermitReturns.NOT_FOUND);
      if (state() == LeaseState.LOST) {
        throw lost();
      }
    }
  }

  private void reportReleased(long now) {
    LockLog.released(acquisition, now - since);
    grant.released(now);
  }

  private void reportPassedOn(long now) {
    LockLog.handedOff(acquisition, now - since);
    grant.released(now);
  }

  /**
   * Whether it is still held. If its deadline has passed, the loss is reported, if it was not
   * before.
   */
  private boolean isStillHeld() {
    boolean over = state() == LeaseState.LOST;
    if (over) {
      grant.lose(acquisition, parts.keeper().whyEnded(acquisition));
    }
    return !over;
  }

  private LeaseLostException lost() {
    return new LeaseLostException(
        "the lease %s of %s was lost: %s; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(acquisition.id(), acquisition.keys().text(), acquisition.lease().loss()));
  }

  @Override
  public String toString() {
    return "Lease[%s, %s, %s, %d ms left]"
        .formatted(Names.shown(name()), acquisition.id(), state(), remaining().toMillis());
  }
}
