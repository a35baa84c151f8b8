package io.mortise.reactor;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.spi.internal.Shown;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** How a lease ends, and what its end means for the result. */
final class LeaseEnd {
  private LeaseEnd() {}

  /** What the release of a lease has thrown. Reactor puts an exception of its own around it. */
  private static final class ReleaseFailure extends Exception {
    private static final long serialVersionUID = 1L;

    ReleaseFailure(Throwable cause) {
      super(cause);
    }
  }

  /**
   * Releases. It fails if the lease was lost, so that the result does not count.
   *
   * @param scheduler where the result goes on
   */
  static Mono<Void> afterCompletion(Lease lease, Scheduler scheduler) {
    return release(lease, scheduler).onErrorMap(ReleaseFailure::new);
  }

  /** Releases. The work's own error goes on, with a loss in it. */
  static Mono<Void> afterError(Lease lease, Throwable error) {
    return release(lease, LockThreads.SIGNALS)
        .onErrorResume(failure -> {
          if (!(error instanceof LeaseLostException)) { // else it says the same once more
            error.addSuppressed(failure);
          }
          return Mono.empty();
        });
  }

  /** Releases. Nobody is left to hear of a loss. */
  static Mono<Void> afterCancellation(Lease lease) {
    return Mono.fromFuture(lease::releaseAsync, true).onErrorComplete();
  }

  /**
   * What follows does not run on the service's executor. A loss does not wait for the scheduler.
   */
  private static Mono<Void> release(Lease lease, Scheduler scheduler) {
    return Mono.fromFuture(lease::releaseAsync, true)
        .onErrorResume(failure -> Mono.<Void>error(failure).publishOn(LockThreads.SIGNALS))
        .then(Mono.<Void>empty().publishOn(scheduler));
  }

  /** The error for the subscriber: what the release has thrown, or else the error itself. */
  static Throwable own(Throwable error) {
    return error.getCause() instanceof ReleaseFailure failure && failure.getCause() != null
        ? failure.getCause()
        : error;
  }

  /** Gives back a lease that arrived when its subscriber was gone. */
  static void giveBack(Lease lease) {
    CompletableFuture<Void> unused = lease.releaseAsync();
  }

  /**
   * Completes when the lease is lost, and never otherwise. It is for {@code takeUntilOther}, which
   * cancels the work at a completion, and not at an error.
   */
  static Mono<Void> loss(Lease lease) {
    return Mono.<Void>create(sink -> lease.onLost(change -> sink.success()))
        .publishOn(LockThreads.SIGNALS);
  }

  /** Throws unless the lease is held. */
  static void ensureHeld(Lease lease) {
    if (lease.isValid()) {
      return;
    }
    if (lease.state() == LeaseState.RELEASED) {
      throw new IllegalMonitorStateException(
          lease + " was released by the work that used it; leave the release to withLease");
    }
    throw new LeaseLostException(
        "the lease of '%s' was lost while the work under it was running; others may have held it since (docs/troubleshooting.md#lease-lost)"
            .formatted(Shown.of(lease.name())));
  }
}
