package io.mortise.internal.engine;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.internal.wire.LeaseTerms;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a lease request, as the application sees it. The engine refers to it weakly, so that
 * it notices a lease that was dropped. Thread-safe.
 */
final class LeaseHandle implements MemberLease {
  /** The lease request that the lease came from. */
  interface Origin {
    /** The lease is over. Returns whether it was held until now. */
    boolean lose(Acquisition held, String reason);

    /** From now on the thread holds it; null if it is bound to no thread. */
    void belongsTo(@Nullable Thread thread);

    void onLost(Consumer<? super LeaseChange> listener);
  }

  private final Parts parts;
  private final Store store;
  private final Origin origin;
  private final Acquisition acquisition;
  private final AtomicBoolean closed = new AtomicBoolean();

  LeaseHandle(Parts parts, Origin origin, Acquisition acquisition) {
    this.parts = parts;
    store = parts.store();
    this.origin = origin;
    this.acquisition = acquisition;
  }

  Acquisition acquisition() {
    return acquisition;
  }

  @Override
  public String name() {
    return acquisition.keys().name();
  }

  @Override
  public LeaseState state() {
    return acquisition.lease().state(store.now());
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
    LeaseTerms wanted = wanted(lease);
    return extending(new LeaseTerms(wanted.nanos(), wanted.millis(), true));
  }

  private CompletableFuture<Boolean> extending(LeaseTerms wanted) {
    return isStillHeld()
        ? parts.keeper().extendAsync(acquisition, wanted)
        : CompletableFuture.completedFuture(false);
  }

  /** Terms of the given length, renewed if the lease was renewed before. */
  private LeaseTerms wanted(Duration lease) {
    LeaseTerms fixed = LeaseTerms.fixed(Objects.requireNonNull(lease, "lease"));
    if (state() == LeaseState.RELEASED) {
      throw new IllegalStateException(
          "the lease %s of %s was released; acquire again"
              .formatted(acquisition.id(), acquisition.keys().text()));
    }
    return new LeaseTerms(fixed.nanos(), fixed.millis(), acquisition.lease().terms().renewed());
  }

  @Override
  public void joinMajority(@Nullable Thread owner) {
    acquisition.lease().allowForDrift();
    origin.belongsTo(owner);
  }

  // Ending

  @Override
  public Lease onLost(Consumer<? super LeaseChange> listener) {
    origin.onLost(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Trampoline.step(this::end);
    }
  }

  private void end() {
    long heldFor = store.now() - acquisition.lease().acquiredAt();
    if (!isStillHeld() || !parts.releases().endAndRelease(acquisition)) {
      throw lost();
    }
    reportReleased(heldFor);
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return Futures.on(parts.events()::execute, releasing());
  }

  @Override
  public CompletableFuture<Void> releasing() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    long heldFor = store.now() - acquisition.lease().acquiredAt();
    if (!isStillHeld()) {
      return CompletableFuture.failedFuture(lost());
    }
    return parts
        .releases()
        .endAndReleaseAsync(acquisition)
        .thenAccept(had -> {
          if (!had) {
            throw lost();
          }
          parts.events().execute(() -> reportReleased(heldFor));
        });
  }

  private void reportReleased(long heldFor) {
    LockLog.released(acquisition, heldFor);
    parts.events().released(acquisition, heldFor);
  }

  /**
   * Whether it is still held. If its deadline has passed, the loss is reported, if it was not
   * before.
   */
  private boolean isStillHeld() {
    boolean over = state() == LeaseState.LOST;
    if (over) {
      origin.lose(acquisition, parts.keeper().whyEnded(acquisition));
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
        .formatted(name(), acquisition.id(), state(), remaining().toMillis());
  }
}
