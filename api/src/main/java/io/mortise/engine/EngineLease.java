package io.mortise.engine;

import io.mortise.Lease;
import io.mortise.LeaseLost;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A claim's lease as its users see it. The engine refers to it weakly, to notice one dropped. */
final class EngineLease implements MemberLease {
  private final Engine engine;
  private final Claim claim;
  private final Acquisition acquisition;
  private final AtomicBoolean closed = new AtomicBoolean();

  EngineLease(Engine engine, Claim claim, Acquisition acquisition) {
    this.engine = engine;
    this.claim = claim;
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
    return acquisition.state(engine.now());
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(isValid() ? acquisition.remaining(engine.now()) : 0);
  }

  @Override
  public OptionalLong fencingToken() {
    long token = acquisition.token();
    return token == 0 ? OptionalLong.empty() : OptionalLong.of(token);
  }

  // Extending

  @Override
  public boolean extend(Duration lease) {
    LeasePolicy wanted = wanted(lease);
    return isStillHeld() && engine.extend(acquisition, wanted);
  }

  @Override
  public CompletableFuture<Boolean> extendAsync(Duration lease) {
    return Futures.on(engine.events()::execute, extending(lease));
  }

  @Override
  public CompletableFuture<Boolean> extending(Duration lease) {
    return extending(wanted(lease));
  }

  @Override
  public CompletableFuture<Boolean> renewing(Duration lease) {
    LeasePolicy wanted = wanted(lease);
    return extending(new LeasePolicy(wanted.nanos(), wanted.millis(), true));
  }

  private CompletableFuture<Boolean> extending(LeasePolicy wanted) {
    return isStillHeld()
        ? engine.extendAsync(acquisition, wanted)
        : CompletableFuture.completedFuture(false);
  }

  /** As long as asked for, and renewed if it was before. */
  private LeasePolicy wanted(Duration lease) {
    LeasePolicy fixed = LeasePolicy.fixed(Objects.requireNonNull(lease, "lease"));
    if (state() == LeaseState.RELEASED) {
      throw new IllegalStateException(
          "the lease %s of %s was released; acquire again"
              .formatted(acquisition.id(), acquisition.keys().text()));
    }
    return new LeasePolicy(fixed.nanos(), fixed.millis(), acquisition.lease().renewed());
  }

  @Override
  public void joinMajority(@Nullable Thread owner) {
    acquisition.allowForDrift();
    claim.belongsTo(owner);
  }

  // Ending

  @Override
  public Lease onLost(Consumer<? super LeaseLost> listener) {
    claim.onLost(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Trampoline.step(this::end);
    }
  }

  private void end() {
    long heldFor = engine.now() - acquisition.acquiredAt();
    if (!isStillHeld() || !engine.endAndRelease(acquisition)) {
      throw lost();
    }
    told(heldFor);
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return Futures.on(engine.events()::execute, releasing());
  }

  @Override
  public CompletableFuture<Void> releasing() {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    long heldFor = engine.now() - acquisition.acquiredAt();
    if (!isStillHeld()) {
      return CompletableFuture.failedFuture(lost());
    }
    return engine
        .endAndReleaseAsync(acquisition)
        .thenAccept(had -> {
          if (!had) {
            throw lost();
          }
          engine.events().execute(() -> told(heldFor));
        });
  }

  private void told(long heldFor) {
    Story.released(acquisition, heldFor);
    engine.events().released(acquisition, heldFor);
  }

  /** False if its time has passed; then everybody is told, should nobody know yet. */
  private boolean isStillHeld() {
    boolean over = state() == LeaseState.LOST;
    if (over) {
      claim.lose(acquisition, engine.keeper().whyEnded(acquisition));
    }
    return !over;
  }

  private LeaseLostException lost() {
    return new LeaseLostException(
        "the lease %s of %s was lost: %s; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(acquisition.id(), acquisition.keys().text(), acquisition.loss()));
  }

  @Override
  public String toString() {
    return "Lease[%s, %s, %s, %d ms left]"
        .formatted(name(), acquisition.id(), state(), remaining().toMillis());
  }
}
