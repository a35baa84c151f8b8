package io.mortise.spring;

import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Locker;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.NotRun;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.annotations.internal.StageLocker;
import io.mortise.annotations.internal.Target;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Runs each call of a locked method under its lock. */
final class WithLockInterceptor implements MethodInterceptor {
  private final LockedMethods methods;
  private final LockServices services;
  private final InTransactionRule transactions;
  private final Locker locker;
  private final StageLocker stages;

  WithLockInterceptor(LockedMethods methods, LockServices services) {
    this.methods = methods;
    this.services = services;
    transactions = new InTransactionRule(methods.settings().inTransaction());
    locker = new Locker(transactions);
    stages = new StageLocker(transactions);
  }

  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    Object target = call.getThis();
    LockedMethod method =
        methods.find(call.getMethod(), target == null ? null : AopUtils.getTargetClass(target));
    if (method == null) {
      throw new IllegalStateException(
          Methods.text(call.getMethod()) + " is advised, but has no @WithLock; it does not run");
    }
    return run(call, method, method.target(services.of(method), call.getArguments()));
  }

  private @Nullable Object run(MethodInvocation call, LockedMethod method, Target target)
      throws Throwable {
    LockTerms terms = method.terms();
    Object result =
        switch (method.result()) {
          case NOTHING, OPTIONAL, VALUE -> locker.run(method, target, terms, call::proceed);
          case STAGE -> stages.run(method, target, terms, call::proceed);
          case PUBLISHER ->
              new PublisherLocker(transactions)
                  .run(
                      method,
                      target,
                      () -> again(call),
                      () -> ifBusy(call, method, NotRun.busy(method, target, terms)));
        };
    if (!(result instanceof NotRun not)) {
      return result;
    }
    InterruptedException interrupt = not.interrupt();
    if (interrupt == null) {
      return ifBusy(call, method, not);
    }
    if (NotRun.throwsInterrupts(method.method())) {
      throw interrupt;
    }
    Thread.currentThread().interrupt();
    throw new LockInterruptedException(not.text(), interrupt);
  }

  /** Each subscription runs the method. */
  private static @Nullable Object again(MethodInvocation call) throws Throwable {
    return ((ProxyMethodInvocation) call).invocableClone().proceed();
  }

  /** What a call gets whose lock is busy. */
  private static @Nullable Object ifBusy(MethodInvocation call, LockedMethod method, NotRun not)
      throws Throwable {
    BusyHandler handler = method.busyHandler();
    if (handler != null) {
      return handler.handle(new LockBusyException(not.text()), call);
    }
    if (!method.terms().skips()) {
      throw new LockBusyException(not.text());
    }
    return method.result() == ResultKind.PUBLISHER
        ? PublisherLocker.empty()
        : method.result().ofSkipped();
  }
}
