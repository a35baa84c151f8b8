package io.mortise.micronaut;

import io.micronaut.aop.InterceptPhase;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import io.mortise.annotations.internal.CallerTransaction;
import io.mortise.annotations.internal.LockTarget;
import io.mortise.annotations.internal.Locker;
import io.mortise.annotations.internal.NotRun;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.annotations.internal.StageLocker;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** Runs each call of a method with {@link WithLock} under its lock: acquired, or not run. */
@Singleton
@InterceptorBean(WithLock.class)
final class WithLockInterceptor implements MethodInterceptor<Object, Object> {
  /** Inside of a retry and of another thread's work, and around a transaction. */
  private static final int ORDER = InterceptPhase.TRANSACTION.getPosition() - 10;

  private static final CallerTransaction NONE = new CallerTransaction.None();
  private static final Locker LOCKER = new Locker(NONE);
  private static final StageLocker STAGES = new StageLocker(NONE);

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
    LockTarget target = methods.target(method, call.getParameterValues());
    Object result =
        method.result() == ResultKind.STAGE
            ? STAGES.run(method, target, method.terms(), call::proceed)
            : LOCKER.run(method, target, method.terms(), call::proceed);
    return result instanceof NotRun not ? answer(not, method) : result;
  }

  /** What a call gets that did not run. */
  private static @Nullable Object answer(NotRun not, LockedMethod method) {
    InterruptedException interrupt = not.interrupt();
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
