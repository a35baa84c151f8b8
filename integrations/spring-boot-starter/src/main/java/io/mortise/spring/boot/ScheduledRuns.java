package io.mortise.spring.boot;

import io.mortise.micrometer.MortiseMetrics;
import io.mortise.micrometer.MortiseMetrics.Run;
import io.mortise.spring.ScheduledLock;
import io.mortise.spring.WithLockSettings;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Counts the runs of methods with {@link ScheduledLock}. One advice is outside of the lock and sees
 * how a call ends. Another one is inside, and marks a call that was not skipped.
 */
final class ScheduledRuns implements MethodInterceptor {
  /** The attribute of a call whose method runs. */
  private static final String BEGUN = ScheduledRuns.class.getName();

  private final ObjectProvider<MortiseMetrics> metrics;
  private final ConfigurableBeanFactory beans;

  private ScheduledRuns(ObjectProvider<MortiseMetrics> metrics, ConfigurableBeanFactory beans) {
    this.metrics = metrics;
    this.beans = beans;
  }

  /** The advisor outside of the lock. */
  static Advisor outside(
      WithLockSettings settings,
      ObjectProvider<MortiseMetrics> metrics,
      ConfigurableBeanFactory beans) {
    return advisor(new ScheduledRuns(metrics, beans), settings.order() - 1L);
  }

  /** The advisor inside of the lock. */
  static Advisor inside(WithLockSettings settings) {
    MethodInterceptor marker =
        call -> {
          ((ProxyMethodInvocation) call).setUserAttribute(BEGUN, true);
          return call.proceed();
        };
    return advisor(marker, settings.order() + 1L);
  }

  private static Advisor advisor(MethodInterceptor advice, long order) {
    DefaultPointcutAdvisor advisor =
        new DefaultPointcutAdvisor(
            new AnnotationMatchingPointcut(null, ScheduledLock.class, true), advice);
    advisor.setOrder((int) Math.max(Integer.MIN_VALUE, Math.min(order, Integer.MAX_VALUE)));
    return advisor;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation call) throws Throwable {
    Object result;
    try {
      result = call.proceed();
    } catch (Throwable e) {
      count(call, Run.FAILED);
      throw e;
    }
    if (result instanceof CompletionStage<?> stage) {
      return counted(stage, call);
    }
    if (!isPublisher(call.getMethod())) {
      count(call, ended(call));
    }
    return result;
  }

  /**
   * A stage that completes as the other one does, when that is counted. To cancel it cancels that.
   */
  private CompletableFuture<Object> counted(CompletionStage<?> stage, MethodInvocation call) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    var unused =
        stage.whenComplete((value, failure) -> {
          count(call, failure == null ? ended(call) : Run.FAILED);
          if (failure == null) {
            result.complete(value);
          } else {
            result.completeExceptionally(failure);
          }
        });
    var unusedToo =
        result.whenComplete((value, failure) -> {
          if (result.isCancelled()) {
            stage.toCompletableFuture().cancel(true);
          }
        });
    return result;
  }

  private static Run ended(MethodInvocation call) {
    return ((ProxyMethodInvocation) call).getUserAttribute(BEGUN) == null ? Run.SKIPPED : Run.RAN;
  }

  /** The work of a publisher begins when somebody subscribes, which may be never. */
  private static boolean isPublisher(Method method) {
    return ReactiveAdapterRegistry.getSharedInstance().getAdapter(method.getReturnType()) != null;
  }

  private void count(MethodInvocation call, Run run) {
    metrics.getObject().scheduled(name(call), run);
  }

  /** The annotation's name with its properties. Its expressions would have no bound as a tag. */
  private String name(MethodInvocation call) {
    Object target = call.getThis();
    Method method =
        AopUtils.getMostSpecificMethod(
            call.getMethod(), target == null ? null : AopUtils.getTargetClass(target));
    ScheduledLock lock = AnnotatedElementUtils.findMergedAnnotation(method, ScheduledLock.class);
    return lock == null
        ? method.getName()
        : String.valueOf(beans.resolveEmbeddedValue(lock.name()));
  }
}
