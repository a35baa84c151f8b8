package io.mortise.reactor;

import io.mortise.Lease;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * One subscription to a lease. Exactly one gets the lease: the subscriber, or the store again.
 *
 * <p>The state is one of the constants, or the lease that has arrived and that the subscriber has
 * not asked for. The change to {@link #OVER} decides. (A {@code MonoSink} drops a value that comes
 * after a cancel, and tells nobody.)
 */
final class LeaseSubscription implements Subscription {
  private static final Object NEW = "new";
  private static final Object ASKED = "asked";
  private static final Object OVER = "over";

  private final Subscriber<? super Lease> subscriber;
  private final Future<?> request;
  private final AtomicReference<Object> state = new AtomicReference<>(NEW);

  LeaseSubscription(Subscriber<? super Lease> subscriber, Future<?> request) {
    this.subscriber = subscriber;
    this.request = request;
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n) || state.compareAndSet(NEW, ASKED)) {
      return;
    }
    if (state.get() instanceof Lease lease && state.compareAndSet(lease, OVER)) {
      deliver(lease);
    }
  }

  /** The request has got its lease. */
  void arrived(Lease lease) {
    if (state.compareAndSet(NEW, lease)) {
      return;
    }
    if (state.compareAndSet(ASKED, OVER)) {
      deliver(lease);
    } else {
      LeaseEnd.giveBack(lease);
    }
  }

  private void deliver(Lease lease) {
    subscriber.onNext(lease);
    subscriber.onComplete();
  }

  /** The request has got no lease. */
  void failed(Throwable failure) {
    if (!state.getAndSet(OVER).equals(OVER)) {
      subscriber.onError(failure);
    }
  }

  /** Withdraws the request. A lease that comes nevertheless is given back. */
  @Override
  public void cancel() {
    if (state.getAndSet(OVER) instanceof Lease lease) {
      LeaseEnd.giveBack(lease);
    }
    request.cancel(true);
  }
}
