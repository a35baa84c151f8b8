package io.mortise.spring;

import java.lang.reflect.Method;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;

/**
 * Lets a native image call the methods with {@link WithLock}, and their handlers for busy locks.
 */
final class LockedMethodHints extends SimpleReflectiveProcessor {
  @Override
  protected void registerMethodHint(ReflectionHints hints, Method method) {
    super.registerMethodHint(hints, method);
    WithLock lock = LockedMethods.annotation(method, null);
    if (lock == null || lock.busyHandler().isEmpty()) {
      return;
    }
    for (Class<?> each = method.getDeclaringClass(); each != null; each = each.getSuperclass()) {
      for (Method declared : each.getDeclaredMethods()) {
        if (declared.getName().equals(lock.busyHandler())) {
          super.registerMethodHint(hints, declared);
        }
      }
    }
  }
}
