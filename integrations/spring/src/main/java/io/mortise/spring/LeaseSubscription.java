package io.mortise.spring;

import io.mortise.Lease;
import io.mortise.annotations.internal.StageLocker;
import io.mortise.annotations.internal.Target;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * One subscription to an acquisition. Exactly one gets the lease: the subscriber, or the store
 * again.
 *
 * <p>The state is one of the constants, or the answer that has arrived and that the subscriber has
 * not asked for. The change to {@link #OVER} decides. ({@code Mono.fromFuture} looks at the future
 * only when it is asked, so a cancel before that loses a lease that is there.)
 */
final class LeaseSubscription implements Subscription {
  private static final Object NEW = "new";
  private static final Object ASKED = "asked";
  private static final Object OVER = "over";

  private final Subscriber<? super Optional<Lease>> subscriber;
  private final Future<?> request;
  private final AtomicReference<Object> state = new AtomicReference<>(NEW);

  private LeaseSubscription(Subscriber<? super Optional<Lease>> subscriber, Future<?> request) {
    this.subscriber = subscriber;
    this.request = request;
  }

  /**
   * Acquires for a subscriber. It gets the answer on the thread that has it.
   *
   * @param wait the longest time to wait; null for no limit
   */
  static void start(
      Target target, @Nullable Duration wait, Subscriber<? super Optional<Lease>> subscriber) {
    CompletableFuture<?> request;
    try {
      request = wait == null ? target.async().acquire() : target.async().tryAcquire(wait);
    } catch (RuntimeException e) {
      Operators.error(subscriber, e);
      return;
    }
    LeaseSubscription subscription = new LeaseSubscription(subscriber, request);
    subscriber.onSubscribe(subscription);
    var unused =
        request.whenComplete((result, failure) -> {
          if (failure == null) {
            subscription.arrived(lease(result));
          } else {
            subscription.failed(StageLocker.cause(failure));
          }
        });
  }

  /** The lease that a request gave: the result, what is in it, or none. */
  private static Optional<Lease> lease(Object result) {
    return result instanceof Optional<?> optional
        ? optional.map(Lease.class::cast)
        : Optional.of((Lease) result);
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n) || state.compareAndSet(NEW, ASKED)) {
      return;
    }
    if (state.get() instanceof Answer answer && state.compareAndSet(answer, OVER)) {
      deliver(answer.lease());
    }
  }

  /** The request has its answer. */
  private void arrived(Optional<Lease> lease) {
    if (state.compareAndSet(NEW, new Answer(lease))) {
      return;
    }
    if (state.compareAndSet(ASKED, OVER)) {
      deliver(lease);
    } else {
      giveBack(lease);
    }
  }

  private void deliver(Optional<Lease> lease) {
    subscriber.onNext(lease);
    subscriber.onComplete();
  }

  private void failed(Throwable failure) {
    if (!state.getAndSet(OVER).equals(OVER)) {
      subscriber.onError(failure);
    }
  }

  /** Withdraws the request. A lease that comes nevertheless is given back. */
  @Override
  public void cancel() {
    if (state.getAndSet(OVER) instanceof Answer answer) {
      giveBack(answer.lease());
    }
    request.cancel(true);
  }

  /** Ends a lease whose subscriber is gone. */
  static void giveBack(Optional<?> lease) {
    lease.ifPresent(each -> {
      var unused = ((Lease) each).releaseAsync();
    });
  }

  /** An answer that the subscriber has not asked for. It has an identity, which Optional lacks. */
  private record Answer(Optional<Lease> lease) {}
}
