package io.mortise.spring;

import io.mortise.LockService;
import io.mortise.annotations.internal.LockNames;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.annotations.internal.Target;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param method of the bean's own class
 * @param service the lock service's bean name; empty for the only or primary one
 * @param busyHandler answers calls whose lock is busy; null for what the terms say
 */
record LockedMethod(
    Method method,
    LockNames names,
    LockTerms terms,
    Permits permits,
    String service,
    ResultKind result,
    @Nullable BusyHandler busyHandler) {
  /** What a call with these arguments holds. */
  Target target(LockService locks, @Nullable Object[] arguments) {
    return permits.target(terms, locks, names.of(arguments));
  }

  @Override
  public String toString() {
    return Methods.text(method);
  }
}
