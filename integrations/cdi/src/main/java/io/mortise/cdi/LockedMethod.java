package io.mortise.cdi;

import io.mortise.annotations.internal.LockNames;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.ResultKind;
import java.lang.reflect.Method;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param service the name of the lock service; empty for the only one
 */
record LockedMethod(
    Method method, LockNames names, LockTerms terms, String service, ResultKind result) {
  @Override
  public String toString() {
    return Methods.text(method);
  }
}
