package io.mortise.reactor;

import io.mortise.Lease;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * One subscription to a lease. Exactly one gets the lease: the subscriber, or the store again.
 *
 * <p>The state is one of the constants, or the lease that has arrived and that the subscriber has
 * not got. The change to {@link #OVER} decides. (A {@code MonoSink} drops a value that comes after
 * a cancel, and tells nobody.) No signal comes on the service's executor, where it must not block.
 */
final class LeaseSubscription implements Subscription {
  private static final Object NEW = "new";
  private static final Object ASKED = "asked";
  private static final Object OVER = "over";

  private final Subscriber<? super Lease> subscriber;
  private final Future<?> request;
  private final Scheduler scheduler;
  private final AtomicReference<Object> state = new AtomicReference<>(NEW);

  LeaseSubscription(Subscriber<? super Lease> subscriber, Future<?> request, Scheduler scheduler) {
    this.subscriber = subscriber;
    this.request = request;
    this.scheduler = scheduler;
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n) || state.compareAndSet(NEW, ASKED)) {
      return;
    }
    if (state.get() instanceof Lease lease) {
      deliver(lease);
    }
  }

  /** The request has got its lease. From now on a cancel gives it back, also while it is queued. */
  void arrived(Lease lease) {
    Object before = state.getAndUpdate(now -> now.equals(OVER) ? OVER : lease);
    if (before.equals(ASKED)) {
      deliver(lease);
    } else if (before.equals(OVER)) {
      LeaseEnd.giveBack(lease);
    }
  }

  private void deliver(Lease lease) {
    try {
      var unused =
          scheduler.schedule(() -> {
            if (state.compareAndSet(lease, OVER)) {
              subscriber.onNext(lease);
              subscriber.onComplete();
            }
          });
    } catch (RuntimeException | Error e) { // refused, or no thread could be made
      if (state.compareAndSet(lease, OVER)) {
        LeaseEnd.giveBack(lease);
        tell(e);
      }
    }
  }

  /** The request has got no lease. */
  void failed(Throwable failure) {
    if (!state.getAndSet(OVER).equals(OVER)) {
      tell(failure);
    }
  }

  private void tell(Throwable failure) {
    var unused = LockThreads.SIGNALS.schedule(() -> subscriber.onError(failure));
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
