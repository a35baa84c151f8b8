package io.mortise.cdi;

import io.mortise.LockService;
import io.mortise.annotations.internal.CallerTransaction;
import io.mortise.annotations.internal.LockTarget;
import io.mortise.annotations.internal.Locker;
import io.mortise.annotations.internal.NotRun;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.annotations.internal.StageLocker;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.io.Serializable;
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
  private static final CallerTransaction NONE = new CallerTransaction.None();
  private static final Locker LOCKER = new Locker(NONE);
  private static final StageLocker STAGES = new StageLocker(NONE);

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
    LockService service = LockServices.of(method, services);
    LockTarget target = method.terms().target(service, method.names().of(call.getParameters()));
    Object result =
        method.result() == ResultKind.STAGE
            ? STAGES.run(method, target, method.terms(), call::proceed)
            : LOCKER.run(method, target, method.terms(), call::proceed);
    return result instanceof NotRun not ? answer(not, method) : result;
  }

  /** What a call gets that did not run. */
  private static @Nullable Object answer(NotRun not, LockedMethod method) throws Exception {
    InterruptedException interrupt = not.interrupt();
    if (interrupt != null && NotRun.throwsInterrupts(method.method())) {
      throw interrupt;
    }
    if (interrupt != null) {
      Thread.currentThread().interrupt();
      throw new LockInterruptedException(not.text(), interrupt);
    }
    if (!method.terms().skips()) {
      throw new LockBusyException(not.text());
    }
    return method.result().ofSkipped();
  }
}
