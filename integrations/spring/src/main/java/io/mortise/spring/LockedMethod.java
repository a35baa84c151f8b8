package io.mortise.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param method of the bean's own class
 * @param busyHandler answers calls whose lock is busy; null for what the terms say
 * @param service the lock service's bean name; empty for the only or primary one
 */
record LockedMethod(
    Method method,
    LockNames names,
    LockTerms terms,
    String service,
    ResultKind result,
    @Nullable BusyHandler busyHandler) {
  @Override
  public String toString() {
    return Methods.text(method);
  }
}
