package io.mortise.micronaut;

import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.micronaut.WithLock.IfBusy;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Runs each call of a method with {@link WithLock} under its lock: acquired, or not run. */
@Singleton
@InterceptorBean(WithLock.class)
final class WithLockInterceptor implements MethodInterceptor<Object, Object> {
  /** Inside of a retry and of another thread's work, and around a transaction. */
  private static final int ORDER = InterceptPhase.TRANSACTION.getPosition() - 10;

  private final LockedMethods methods;

  WithLockInterceptor(LockedMethods methods) {
    this.methods = methods;
  }

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public @Nullable Object intercept(MethodInvocationContext<Object, Object> call) {
    LockedMethod method = methods.of(call.getTarget().getClass(), call.getExecutableMethod());
    LeasedLock lock = methods.lock(method, call.getParameterValues());
    return method.result() == ResultKind.STAGE
        ? stage(call, method, lock)
        : value(call, method, lock);
  }

  @SuppressWarnings("try") // the hold is there to be closed
  private static @Nullable Object value(
      MethodInvocationContext<Object, Object> call, LockedMethod method, LeasedLock lock) {
    if (!acquired(method, lock, () -> method.terms().hold(lock))) {
      return busy(method, lock);
    }
    try (ThreadHold hold = new ThreadHold(lock, method.terms().atLeast(), System.nanoTime())) {
      return ResultKind.requireOver(method, call.proceed());
    }
  }

  private static @Nullable Object stage(
      MethodInvocationContext<Object, Object> call, LockedMethod method, LeasedLock lock) {
    Optional<Lease> lease = acquired(method, lock, () -> method.terms().lease(lock));
    return lease.isPresent()
        ? new StageHold(method, lease.get()).run(call::proceed)
        : busy(method, lock);
  }

  /** What acquires a lock or a lease. */
  private interface Acquisition<T> {
    T acquire() throws InterruptedException;
  }

  private static <T> T acquired(LockedMethod method, LeasedLock lock, Acquisition<T> acquisition) {
    try {
      return acquisition.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockInterruptedException(
          "%s did not run: the thread was interrupted while it waited for lock '%s'"
              .formatted(method, lock.name()),
          e);
    }
  }

  /** What a call gets whose lock is busy. */
  private static @Nullable Object busy(LockedMethod method, LeasedLock lock) {
    if (method.terms().ifBusy() == IfBusy.FAIL) {
      throw new LockBusyException(
          "%s did not run: lock '%s' was busy, waited %s; raise waitFor, or set ifBusy = SKIP"
              .formatted(method, lock.name(), method.terms().waitText()));
    }
    return switch (method.result()) {
      case OPTIONAL -> Optional.empty();
      case STAGE -> CompletableFuture.completedFuture(null);
      default -> null;
    };
  }
}
