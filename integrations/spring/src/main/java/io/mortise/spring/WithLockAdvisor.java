package io.mortise.spring;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.annotation.AnnotationUtils;

/** Applies {@link WithLock} to beans. */
final class WithLockAdvisor extends StaticMethodMatcherPointcutAdvisor {
  private static final long serialVersionUID = 1L;

  private final transient LockedMethods methods;

  WithLockAdvisor(LockedMethods methods, LockServices services) {
    this.methods = methods;
    setAdvice(new WithLockInterceptor(methods, services));
    setOrder(methods.settings().order());
    setClassFilter(type -> AnnotationUtils.isCandidateClass(type, WithLock.class));
  }

  @Override
  public boolean matches(Method method, Class<?> type) {
    return methods.find(method, type) != null;
  }
}
