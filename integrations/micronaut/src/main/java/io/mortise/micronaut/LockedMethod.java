package io.mortise.micronaut;

import io.mortise.annotations.internal.LockNames;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.ResultKind;

/**
 * A method with {@link WithLock}, as it was read.
 *
 * @param service the lock service's bean name; empty for the only or primary one
 */
record LockedMethod(LockNames names, LockTerms terms, String service, ResultKind result) {
  @Override
  public String toString() {
    return names.who();
  }
}
