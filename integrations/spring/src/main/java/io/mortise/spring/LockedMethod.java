package io.mortise.spring;

import java.lang.reflect.Method;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param method of the bean's own class
 * @param service the lock service's bean name; empty for the only or primary one
 */
record LockedMethod(
    Method method, NameTemplate name, LockTerms terms, String service, ResultKind result) {
  @Override
  public String toString() {
    return Methods.text(method);
  }
}
