package io.mortise.spring;

import io.mortise.Lease;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Locker.Work;
import io.mortise.annotations.internal.Target;
import io.mortise.annotations.internal.WorkHold;
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
import reactor.core.scheduler.Scheduler;
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

  private final InTransactionRule transactions;

  PublisherLocker(InTransactionRule transactions) {
    this.transactions = transactions;
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

    Scheduler threads() {
      return hold == null ? PublisherThreads.SIGNALS : PublisherThreads.WORK;
    }
  }

  /** Why the end failed. Reactor puts an exception of its own around it. */
  private static final class EndFailure extends Exception {
    private static final long serialVersionUID = 1L;

    EndFailure(Throwable cause) {
      super(cause);
    }
  }

  /**
   * The publisher for the caller, of the type that the method declares.
   *
   * @param work makes the publisher of the method
   * @param ifBusy makes what is passed on if the lock is busy
   */
  Object run(LockedMethod method, Target target, Work<?> work, Work<?> ifBusy) {
    ReactiveAdapter adapter = Results.adapter(method.method().getReturnType());
    if (adapter == null) {
      throw new AssertionError("it was there when the method was read");
    }
    Flux<Object> all =
        Flux.deferContextual(caller -> {
          Context inside = inside(caller, target);
          return Flux.usingWhen(
                  acquire(method, target),
                  held ->
                      Mono.just(held)
                          .publishOn(held.threads())
                          .flatMapMany(each -> hold(method, each, adapter, work, ifBusy))
                          .contextWrite(inside),
                  PublisherLocker::complete,
                  PublisherLocker::fail,
                  held -> fail(held, new IllegalStateException("cancelled")))
              .onErrorMap(PublisherLocker::own);
        });
    return adapter.fromPublisher(adapter.isMultiValue() ? all : all.singleOrEmpty());
  }

  /**
   * What a subscription under the lock tells those inside it: the locks that they would wait for in
   * vain. It throws if this lock is one of them.
   */
  private static Context inside(ContextView caller, Target target) {
    WorkHold.requireOutside(target);
    List<Target> outer = caller.hasKey(AROUND) ? caller.get(AROUND) : List.of();
    if (outer.stream().anyMatch(target::overlaps)) {
      throw WorkHold.nested(target, "a publisher around this one");
    }
    List<Target> all = new ArrayList<>(outer);
    all.add(target);
    return Context.of(AROUND, List.copyOf(all));
  }

  /** What a skipped call gives, for this class. */
  static Object empty() {
    return Flux.empty();
  }

  // Acquiring

  /** No step between the lease and the resource may change threads: a cancel could lose it. */
  private static Mono<Held> acquire(LockedMethod method, Target target) {
    LockTerms terms = method.terms();
    return request(target, terms.waitFor())
        .onErrorResume(
            IllegalStateException.class, failure -> again(target, terms.waitFor(), failure))
        .map(lease ->
            new Held(lease.map(each -> new WorkHold(target, each, terms.isShared())).orElse(null)))
        .onErrorResume(failure -> Mono.<Held>error(failure).publishOn(PublisherThreads.SIGNALS))
        .doOnDiscard(Optional.class, LeaseSubscription::giveBack);
  }

  /** To cancel it withdraws. A lease that comes nevertheless is given back. */
  private static Mono<Optional<Lease>> request(Target target, @Nullable Duration wait) {
    Publisher<Optional<Lease>> leases =
        subscriber -> LeaseSubscription.start(target, wait, subscriber);
    return Mono.fromDirect(leases);
  }

  /** Once more, if the semaphore had no permits and has some now. */
  private static Mono<Optional<Lease>> again(
      Target target, @Nullable Duration wait, IllegalStateException failure) {
    return Mono.fromCallable(() -> target instanceof PermitTarget permits && permits.setUp())
        .subscribeOn(PublisherThreads.SIGNALS)
        .flatMap(set -> set ? request(target, wait) : Mono.error(failure));
  }

  private Flux<Object> hold(
      LockedMethod method, Held held, ReactiveAdapter adapter, Work<?> work, Work<?> ifBusy) {
    WorkHold hold = held.hold;
    return hold == null
        ? Flux.from(publisher(adapter, ifBusy))
        : keep(method, held, hold).thenMany(body(hold, adapter, method.terms(), work));
  }

  /** Ties the lease to the subscriber's transaction, if there is one. */
  private Mono<Void> keep(LockedMethod method, Held held, WorkHold hold) {
    if (!TRANSACTIONS || transactions.isIgnored()) {
      return Mono.empty();
    }
    return ReactiveTransaction.keep(hold, () -> transactions.refuse(method, hold.target()))
        .doOnNext(kept -> held.kept = kept)
        .then();
  }

  // Holding

  private static Flux<Object> body(
      WorkHold hold, ReactiveAdapter adapter, LockTerms terms, Work<?> work) {
    Flux<Object> body =
        Flux.from(subscriber -> subscribe(hold, adapter, work, subscriber))
            .doOnNext(element -> hold.ensureHeld());
    return terms.interrupts()
        ? body.takeUntilOther(loss(hold)).doOnComplete(hold::ensureHeld)
        : body;
  }

  /** Runs the method and subscribes, both where {@link LockContext} knows the lock. */
  @SuppressWarnings("try") // the scope is there to be closed
  private static void subscribe(
      WorkHold hold, ReactiveAdapter adapter, Work<?> work, Subscriber<? super Object> subscriber) {
    try (WorkHold entered = hold.enter()) {
      publisher(adapter, work).subscribe(subscriber);
    }
  }

  /** What a method has made, or why it has made nothing. */
  private static Publisher<Object> publisher(ReactiveAdapter adapter, Work<?> work) {
    try {
      Object made = work.run();
      if (made == null) {
        return Flux.error(new NullPointerException("the method returned null"));
      }
      return made instanceof Publisher<?> publisher
          ? Flux.from(publisher)
          : adapter.toPublisher(made);
    } catch (Throwable e) {
      return Flux.error(e);
    }
  }

  /** Completes at a loss. At an error {@code takeUntilOther} would not cancel the publisher. */
  private static Mono<Void> loss(WorkHold hold) {
    return Mono.<Void>create(sink -> hold.lease().onLost(change -> sink.success()))
        .publishOn(PublisherThreads.SIGNALS);
  }

  // Ending

  /** Fails if the lease was lost, so that the result does not count. */
  private static Mono<Void> complete(Held held) {
    return end(held, PublisherThreads.WORK).onErrorMap(EndFailure::new);
  }

  /** The error for the subscriber: why the end failed, or else the error itself. */
  private static Throwable own(Throwable error) {
    return error.getCause() instanceof EndFailure failure && failure.getCause() != null
        ? failure.getCause()
        : error;
  }

  /** What follows does not run on the callbacks' thread. A loss does not wait for the scheduler. */
  private static Mono<Void> end(Held held, Scheduler scheduler) {
    WorkHold hold = held.hold;
    if (hold == null) {
      return Mono.empty();
    }
    if (held.kept) {
      return Mono.fromRunnable(hold::ensureHeld);
    }
    return Mono.fromFuture(() -> hold.lease().releaseAsync(), true)
        .onErrorResume(lost -> Mono.<Void>error(lost).publishOn(PublisherThreads.SIGNALS))
        .then(Mono.<Void>empty().publishOn(scheduler));
  }

  /** Adds a loss to the failure. */
  private static Mono<Void> fail(Held held, Throwable failure) {
    return end(held, PublisherThreads.SIGNALS)
        .onErrorResume(lost -> {
          if (!lost.equals(failure)) {
            failure.addSuppressed(lost);
          }
          return Mono.empty();
        });
  }
}
