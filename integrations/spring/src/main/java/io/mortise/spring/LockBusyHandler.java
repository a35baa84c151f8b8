package io.mortise.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Answers calls whose lock is busy, in place of the method. A bean of this type serves methods with
 * {@code @WithLock(busyHandler = "@name")}.
 *
 * <p>It runs without the lock, on the thread that has waited for it, or on a thread of this library
 * for a publisher, for which no thread waits. Calls may come at the same time.
 */
@FunctionalInterface
public interface LockBusyHandler {
  /**
   * Answers a call.
   *
   * @param busy names the method, the lock and the time that was waited
   * @param method the method that did not run, of the bean's own class
   * @param arguments the arguments of the call
   * @return the result for the caller, of the method's type; ignored if the method returns nothing
   * @throws Throwable what the caller gets instead, such as {@code busy} itself
   */
  @Nullable Object handle(LockBusyException busy, Method method, @Nullable Object[] arguments)
      throws Throwable;
}
