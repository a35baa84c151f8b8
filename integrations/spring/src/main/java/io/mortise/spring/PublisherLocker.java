package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.spring.Locker.Work;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.OnLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.springframework.core.ReactiveAdapter;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Runs methods that return a publisher. Each subscription acquires a lease, and runs the method on
 * a thread that may block. The lease is held until the publisher completes, fails or is cancelled.
 * It is released before the subscriber's completion. Nothing is passed on after a loss.
 */
final class PublisherLocker {
  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.reactive.TransactionSynchronizationManager",
          PublisherLocker.class.getClassLoader());

  /** The key of the locks that are held around a subscription, in its context. */
  private static final Object AROUND = PublisherLocker.class;

  private final Locker locker;

  PublisherLocker(Locker locker) {
    this.locker = locker;
  }

  /** What one subscription got. {@code usingWhen} ends it, however the subscription ends. */
  private static final class Held {
    /** Null if another holder had the lock until the wait was over. */
    final @Nullable WorkHold hold;

    /** Whether the subscriber's transaction ends it. */
    volatile boolean kept;

    Held(@Nullable WorkHold hold) {
      this.hold = hold;
    }
  }

  /** The publisher for the caller, of the type that the method declares. */
  Object run(LockedMethod method, LockService service, String name, Work work) {
    ReactiveAdapter adapter = ResultKind.adapter(method.method().getReturnType());
    if (adapter == null) {
      throw new AssertionError("it was there when the method was read");
    }
    LockTerms terms = method.terms();
    Flux<Object> all =
        Flux.deferContextual(caller -> {
          DistributedLock lock = terms.lock(service, name);
          Context inside = inside(caller, lock);
          return Flux.usingWhen(
              acquire(method, lock),
              held ->
                  Mono.just(held)
                      .publishOn(Schedulers.boundedElastic())
                      .flatMapMany(each -> hold(method, each, lock.name(), adapter, work))
                      .contextWrite(inside),
              PublisherLocker::complete,
              PublisherLocker::fail,
              held -> fail(held, new IllegalStateException("cancelled")));
        });
    return adapter.fromPublisher(adapter.isMultiValue() ? all : all.singleOrEmpty());
  }

  /**
   * What a subscription under the lock tells those inside it: the locks that they would wait for in
   * vain. It throws if this lock is one of them.
   */
  private static Context inside(ContextView caller, DistributedLock lock) {
    WorkHold.requireOutside(lock);
    List<DistributedLock> outer = caller.hasKey(AROUND) ? caller.get(AROUND) : List.of();
    List<DistributedLock> all = new ArrayList<>(outer);
    if (all.contains(lock)) {
      throw WorkHold.nested(lock, "a publisher around this one");
    }
    all.add(lock);
    return Context.of(AROUND, List.copyOf(all));
  }

  // Acquiring

  /** No step between the lease and the resource may change threads: a cancel could lose it. */
  private static Mono<Held> acquire(LockedMethod method, DistributedLock lock) {
    LockTerms terms = method.terms();
    return request(lock, terms.waitFor())
        .map(lease ->
            new Held(lease.map(each -> new WorkHold(lock, each, terms.isShared())).orElse(null)))
        .onErrorResume(failure -> Mono.<Held>error(failure).publishOn(Schedulers.boundedElastic()))
        .doOnDiscard(Optional.class, PublisherLocker::giveBack)
        .doOnDiscard(Lease.class, PublisherLocker::giveBack);
  }

  /** To cancel it cancels the future, which withdraws. What comes nevertheless is discarded. */
  private static Mono<Optional<Lease>> request(DistributedLock lock, @Nullable Duration wait) {
    return wait == null
        ? Mono.fromFuture(() -> lock.async().acquire()).map(Optional::of)
        : Mono.fromFuture(() -> lock.async().tryAcquire(wait));
  }

  /** Ends a lease that came when its subscriber was gone. */
  private static void giveBack(Lease lease) {
    var unused = lease.releaseAsync();
  }

  private static void giveBack(Optional<?> lease) {
    lease.ifPresent(each -> giveBack((Lease) each));
  }

  private Flux<Object> hold(
      LockedMethod method, Held held, String name, ReactiveAdapter adapter, Work work) {
    WorkHold hold = held.hold;
    return hold == null
        ? Flux.from(busy(method, name))
        : keep(method, held, hold).thenMany(body(hold, adapter, method.terms(), work));
  }

  /** Ties the lease to the subscriber's transaction, if there is one. */
  private Mono<Void> keep(LockedMethod method, Held held, WorkHold hold) {
    if (!TRANSACTIONS || locker.ignoresTransaction()) {
      return Mono.empty();
    }
    return ReactiveTransaction.keep(
            hold, () -> locker.refuseTransaction(method, hold.lock().name()))
        .doOnNext(kept -> held.kept = kept)
        .then();
  }

  private static Mono<Object> busy(LockedMethod method, String name) {
    return method.terms().ifBusy() == IfBusy.SKIP
        ? Mono.empty()
        : Mono.error(WithLockInterceptor.busy(method, name));
  }

  // Holding

  private static Flux<Object> body(
      WorkHold hold, ReactiveAdapter adapter, LockTerms terms, Work work) {
    Flux<Object> body =
        Flux.from(subscriber -> subscribe(hold, adapter, work, subscriber))
            .doOnNext(element -> hold.ensureHeld());
    return terms.onLost() == OnLost.INTERRUPT ? body.takeUntilOther(loss(hold)) : body;
  }

  /** Runs the method and subscribes, both where {@link LockContext} knows the lock. */
  @SuppressWarnings("try") // the scope is there to be closed
  private static void subscribe(
      WorkHold hold, ReactiveAdapter adapter, Work work, Subscriber<? super Object> subscriber) {
    try (WorkHold entered = hold.enter()) {
      Publisher<Object> source;
      try {
        Object made = work.run();
        source =
            made == null
                ? Flux.error(new NullPointerException("the method returned null"))
                : adapter.toPublisher(made);
      } catch (Throwable e) {
        source = Flux.error(e);
      }
      source.subscribe(subscriber);
    }
  }

  private static Mono<Object> loss(WorkHold hold) {
    return Mono.create(sink -> hold.lease().onLost(change -> sink.error(hold.lost())))
        .publishOn(Schedulers.boundedElastic());
  }

  // Ending

  /** Fails if the lease was lost. What follows does not run on the callbacks' thread. */
  private static Mono<Void> complete(Held held) {
    WorkHold hold = held.hold;
    if (hold == null) {
      return Mono.empty();
    }
    if (held.kept) {
      return Mono.fromRunnable(hold::ensureHeld);
    }
    return Mono.fromFuture(() -> hold.lease().releaseAsync(), true)
        .publishOn(Schedulers.boundedElastic());
  }

  /** Adds a loss to the failure. */
  private static Mono<Void> fail(Held held, Throwable failure) {
    return complete(held)
        .onErrorResume(lost -> {
          if (!lost.equals(failure)) {
            failure.addSuppressed(lost);
          }
          return Mono.empty();
        });
  }
}
