package io.mortise.cdi;

import io.mortise.LockService;
import io.mortise.cdi.Locker.Work;
import io.mortise.cdi.WithLock.IfBusy;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs each call of a method with {@link WithLock} under its lock. For the container, which makes
 * one for each bean. Thread-safe.
 *
 * <p>Its priority is {@value #PRIORITY}. A transaction of the method has 200 by the specification
 * of Jakarta Transactions, so it begins and ends while the lock is held.
 */
@WithLock
@Interceptor
@Priority(WithLockInterceptor.PRIORITY)
public class WithLockInterceptor implements Serializable {
  /** Outside of transactions, and inside of the activation of the request context, which is 100. */
  public static final int PRIORITY = Interceptor.Priority.PLATFORM_BEFORE + 150;

  private static final long serialVersionUID = 1L;

  /** The lock services of the application. */
  @SuppressWarnings("serial") // the container's, which makes it serializable for beans that need it
  private final Instance<LockService> services;

  @Inject
  WithLockInterceptor(@Any Instance<LockService> services) {
    this.services = services;
  }

  @AroundInvoke
  @Nullable Object run(InvocationContext call) throws Exception {
    LockedMethod method = LockedMethods.of(call.getMethod());
    LockTarget target =
        method
            .terms()
            .target(LockServices.of(method, services), method.names().of(call.getParameters()));
    Started work = new Started(call);
    Object result;
    try {
      result =
          method.result() == ResultKind.STAGE
              ? StageLocker.run(method, target, work)
              : Locker.run(method, target, work);
    } catch (InterruptedException e) {
      throw work.began ? e : interrupted(e, method, target);
    }
    return result instanceof Locker.Busy ? skipped(method, target) : result;
  }

  /** The call of a method, and whether it has begun. */
  private static final class Started implements Work {
    private final InvocationContext call;
    private boolean began;

    Started(InvocationContext call) {
      this.call = call;
    }

    @Override
    public @Nullable Object run() throws Exception {
      began = true;
      return call.proceed();
    }
  }

  private static Exception interrupted(
      InterruptedException e, LockedMethod method, LockTarget target) {
    if (Arrays.stream(method.method().getExceptionTypes())
        .anyMatch(each -> each.isAssignableFrom(InterruptedException.class))) {
      return e;
    }
    Thread.currentThread().interrupt();
    return new LockInterruptedException(
        "%s did not run: the thread was interrupted while it waited for %s"
            .formatted(method, target.text()),
        e);
  }

  /** What a call gets whose lock is busy. */
  private static @Nullable Object skipped(LockedMethod method, LockTarget target) {
    if (method.terms().ifBusy() == IfBusy.FAIL) {
      throw new LockBusyException(
          "%s did not run: %s was busy, waited %s; raise waitFor, or set ifBusy = SKIP"
              .formatted(method, target.text(), method.terms().waitText()));
    }
    return switch (method.result()) {
      case OPTIONAL -> Optional.empty();
      case STAGE -> CompletableFuture.completedFuture(null);
      case NOTHING, VALUE -> null;
    };
  }
}
