package io.mortise.reactor;

import io.mortise.AsyncLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A lock, or permits of a semaphore, for Project Reactor. The lease is held while the work is
 * subscribed to.
 *
 * <pre>{@code
 * ReactiveLock lock = ReactiveLock.of(locks.getLock("orders:42"));
 * Mono<Receipt> receipt = lock.withLease(lease -> pay(42));
 * }</pre>
 *
 * <p><b>Each subscription is an acquisition of its own.</b> A publisher that nobody subscribes to
 * sends nothing. Two subscriptions exclude each other, and each runs the work.
 *
 * <p><b>The end.</b> The lease is released when the work completes, fails or is cancelled. A result
 * or an error of the work reaches the subscriber after that. A subscriber that cancels while it
 * waits leaves the queue. A subscriber that cancels does not wait for the store: the withdrawal or
 * the release is sent at once, and arrives soon after. Work that blocks while it is subscribed to,
 * such as a {@code fromCallable}, is not ended by a cancel, and its lock is held until it returns.
 * With {@code subscribeOn} in the work, the cancel interrupts it, and the release does not wait for
 * it.
 *
 * <p><b>A loss.</b> When the lease is lost, the work is cancelled, and the subscriber gets a {@link
 * LeaseLostException}. A {@code Mono} gives no result under a lost lease, and a {@code Flux} passes
 * on no element after a loss. An error of the work that comes before a loss is told reaches the
 * subscriber. A loss that the release finds is then {@linkplain Throwable#addSuppressed suppressed}
 * in it. A later error of the work goes to {@link Hooks#onErrorDropped}, as after each cancel.
 *
 * <p><b>Errors</b> of acquiring are those of {@link AsyncLock#acquire()}, and {@link
 * LockBusyException} if a {@linkplain #withMaxWait longest wait} is over. The work is not started
 * then.
 *
 * <p><b>Threads.</b> The work is subscribed to on threads of this module, where it may block, and a
 * result goes on there. They are as many as those of {@link Schedulers#boundedElastic()}. If all
 * are busy, a lease that has come is held until one is free. {@link #withScheduler} chooses others.
 * Errors, the end of a wait and a loss are told on other threads of this module, which no work can
 * fill. No thread waits for the lock.
 *
 * <p><b>Two locks.</b> Work must not {@code block()} on another lock with the same scheduler. If
 * enough of it does, each waits for a thread that another one has. Put one {@code withLease} into
 * the work of the other, or give the inner lock another scheduler.
 *
 * <p><b>Not reentrant.</b> Work that asks for the same lock waits for itself without end. A fixed
 * lease and a limit are set on the lock, by {@code withLease} and {@code withMaxHold}.
 *
 * <p>Thread-safe. A handle costs nothing while unused.
 */
public final class ReactiveLock {
  private final AsyncLock source;
  private final String name;
  private final @Nullable Duration maxWait;
  private final Scheduler scheduler;

  private ReactiveLock(
      AsyncLock source, String name, @Nullable Duration maxWait, Scheduler scheduler) {
    this.source = source;
    this.name = name;
    this.maxWait = maxWait;
    this.scheduler = scheduler;
  }

  /**
   * A reactive handle of a lock, also of a multi-lock or a Redlock.
   *
   * @param lock which lock, and with which lease
   * @return a handle, which waits without limit
   */
  public static ReactiveLock of(LeasedLock lock) {
    return new ReactiveLock(
        lock.async(), "lock '" + Shown.of(lock.name()) + "'", null, LockThreads.WORK);
  }

  /**
   * A reactive handle that takes permits of a semaphore.
   *
   * @param semaphore which semaphore, and with which lease
   * @param permits the number that each subscription takes, at least 1
   * @return a handle, which waits without limit
   * @throws IllegalArgumentException the number is not positive
   */
  public static ReactiveLock of(DistributedSemaphore semaphore, int permits) {
    return new ReactiveLock(
        semaphore.async(permits),
        "%d permits of semaphore '%s'".formatted(permits, Shown.of(semaphore.name())),
        null,
        LockThreads.WORK);
  }

  /**
   * A handle of the same lock or permits that waits until a deadline at most. It counts from each
   * subscription. Then the subscriber gets a {@link LockBusyException}. A {@code timeout} of
   * Reactor around {@link #withLease} would end the work too.
   *
   * @param wait the longest time to wait; none if not positive
   * @return another handle
   */
  public ReactiveLock withMaxWait(Duration wait) {
    return new ReactiveLock(source, name, Objects.requireNonNull(wait, "wait"), scheduler);
  }

  /**
   * A handle of the same lock or permits with other threads for the work. {@link
   * Schedulers#parallel()} suits work that never blocks. The end of a wait and a loss are told on
   * threads of this module in any case. With {@link Schedulers#immediate()} the work is subscribed
   * to on the executor of the lock service, which it must not block.
   *
   * @param chosen where the work is subscribed to, and where its result goes on; the caller keeps
   *     it and disposes of it. If it refuses a task, the lease is given back
   * @return another handle
   */
  public ReactiveLock withScheduler(Scheduler chosen) {
    return new ReactiveLock(source, name, maxWait, Objects.requireNonNull(chosen, "chosen"));
  }

  /**
   * Runs work that gives at most one result under a lease.
   *
   * @param work gets the lease, for its fencing token and its remaining time, and does not release
   *     it; called once for each subscription
   * @param <T> the type of the result
   * @return the result of the work; empty if the work is empty
   */
  public <T> Mono<T> withLease(Function<? super Lease, ? extends Mono<T>> work) {
    Objects.requireNonNull(work, "work");
    return Mono.usingWhen(
            acquire(),
            lease ->
                Mono.<T>defer(() -> work.apply(lease))
                    .takeUntilOther(LeaseEnd.loss(lease))
                    .doOnSuccess(result -> LeaseEnd.ensureHeld(lease)),
            lease -> LeaseEnd.afterCompletion(lease, scheduler),
            LeaseEnd::afterError,
            LeaseEnd::afterCancellation)
        .onErrorMap(LeaseEnd::own);
  }

  /**
   * Runs work that gives any number of results under a lease, which is held until the last one.
   *
   * @param work as for {@link #withLease}
   * @param <T> the type of the results
   * @return the results of the work
   */
  public <T> Flux<T> withLeaseMany(Function<? super Lease, ? extends Publisher<T>> work) {
    Objects.requireNonNull(work, "work");
    return Flux.usingWhen(
            acquire(),
            lease ->
                Flux.<T>defer(() -> work.apply(lease))
                    .takeUntilOther(LeaseEnd.loss(lease))
                    .doOnNext(each -> LeaseEnd.ensureHeld(lease))
                    .doOnComplete(() -> LeaseEnd.ensureHeld(lease)),
            lease -> LeaseEnd.afterCompletion(lease, scheduler),
            LeaseEnd::afterError,
            LeaseEnd::afterCancellation)
        .onErrorMap(LeaseEnd::own);
  }

  /**
   * Acquires a lease, which the subscriber releases. Use it as the resource of {@link
   * Mono#usingWhen}. An operator in between, such as {@code publishOn} or {@code timeout}, may drop
   * the lease when the subscriber cancels. Such a lease is held until garbage collection finds it.
   * {@link #withLease} has no such gap.
   *
   * @return the lease; never empty. To cancel it before that withdraws the request, and a lease
   *     that still arrives is given back
   */
  public Mono<Lease> acquire() {
    Publisher<Lease> leases = this::subscribe;
    return Mono.fromDirect(leases);
  }

  private void subscribe(Subscriber<? super Lease> subscriber) {
    CompletableFuture<?> request;
    try {
      request = maxWait == null ? source.acquire() : source.tryAcquire(maxWait);
    } catch (RuntimeException e) {
      Operators.error(subscriber, e);
      return;
    }
    LeaseSubscription subscription = new LeaseSubscription(subscriber, request, scheduler);
    subscriber.onSubscribe(subscription);
    CompletableFuture<?> unused =
        request.whenComplete((result, failure) ->
            lease(result)
                .ifPresentOrElse(
                    subscription::arrived,
                    () -> subscription.failed(failure == null ? busy() : failure)));
  }

  /** The lease that a request gave: the result, what is in it, or none. */
  private static Optional<Lease> lease(@Nullable Object result) {
    return result instanceof Optional<?> optional
        ? optional.map(Lease.class::cast)
        : Optional.ofNullable((Lease) result);
  }

  private LockBusyException busy() {
    return new LockBusyException(
        "%s: busy, waited %s; the work was not started".formatted(name, maxWait));
  }

  @Override
  public String toString() {
    return "ReactiveLock[%s, %s]".formatted(name, maxWait == null ? "waits" : "waits " + maxWait);
  }
}
