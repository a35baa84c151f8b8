package io.mortise.spring;

import io.mortise.spring.Locker.Work;
import io.mortise.spring.WithLock.IfBusy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Runs each call of a locked method under its lock. */
final class WithLockInterceptor implements MethodInterceptor {
  private final LockedMethods methods;
  private final LockServices services;
  private final Locker locker;
  private final StageLocker stages;

  WithLockInterceptor(LockedMethods methods, LockServices services) {
    this.methods = methods;
    this.services = services;
    locker = new Locker(methods.settings());
    stages = new StageLocker(locker);
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
    List<String> names = method.names().of(call.getArguments());
    return run(call, method, method.terms().target(services.of(method), names));
  }

  private @Nullable Object run(MethodInvocation call, LockedMethod method, Target target)
      throws Throwable {
    LockTerms terms = method.terms();
    Started work = new Started(call);
    Work ifBusy = () -> answer(call, method, target);
    Object result;
    try {
      result =
          switch (method.result()) {
            case NOTHING, OPTIONAL, VALUE -> locker.run(method, target, terms, work);
            case STAGE -> stages.run(method, target, terms, work);
            case PUBLISHER ->
                new PublisherLocker(locker).run(method, target, () -> again(call), ifBusy);
          };
    } catch (InterruptedException e) {
      throw work.began ? e : interrupted(e, method, target);
    }
    return result instanceof Locker.Busy ? ifBusy.run() : result;
  }

  /** The call of a method, and whether it has begun. */
  private static final class Started implements Work {
    private final MethodInvocation call;
    private boolean began;

    Started(MethodInvocation call) {
      this.call = call;
    }

    @Override
    public @Nullable Object run() throws Throwable {
      began = true;
      return call.proceed();
    }
  }

  /** Each subscription runs the method. */
  private static @Nullable Object again(MethodInvocation call) throws Throwable {
    return ((ProxyMethodInvocation) call).invocableClone().proceed();
  }

  private static Throwable interrupted(InterruptedException e, LockedMethod method, Target target) {
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
  private static @Nullable Object answer(MethodInvocation call, LockedMethod method, Target target)
      throws Throwable {
    BusyHandler handler = method.busyHandler();
    if (handler != null) {
      return handler.handle(busy(method, target), call);
    }
    if (method.terms().ifBusy() == IfBusy.FAIL) {
      throw busy(method, target);
    }
    return switch (method.result()) {
      case OPTIONAL -> Optional.empty();
      case STAGE -> CompletableFuture.completedFuture(null);
      case PUBLISHER -> PublisherLocker.empty();
      default -> null;
    };
  }

  private static LockBusyException busy(LockedMethod method, Target target) {
    return new LockBusyException(
        "%s did not run: %s was busy, waited %s; raise waitFor, or set ifBusy = SKIP"
            .formatted(method, target.text(), method.terms().waitText()));
  }
}
