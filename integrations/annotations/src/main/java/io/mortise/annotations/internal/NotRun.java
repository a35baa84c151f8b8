package io.mortise.annotations.internal;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The result of work that did not run: another holder had the lock until the wait was over, or the
 * thread was interrupted before or while it waited.
 *
 * @param who the method, for messages
 * @param interrupt null if the lock was busy
 */
public record NotRun(
    Object who, Target target, LockTerms terms, @Nullable InterruptedException interrupt) {
  /** The lock was busy. */
  public static NotRun busy(Object who, Target target, LockTerms terms) {
    return new NotRun(who, target, terms, null);
  }

  /** What happened, for people. */
  public String text() {
    return interrupt == null
        ? "%s did not run: %s was busy, waited %s; raise waitFor, or set ifBusy = SKIP"
            .formatted(who, target.text(), terms.waitText())
        : "%s did not run: the thread was interrupted while it waited for %s"
            .formatted(who, target.text());
  }

  /** Whether callers of a method expect its interrupt as it is. */
  public static boolean throwsInterrupts(Method method) {
    return Arrays.stream(method.getExceptionTypes())
        .anyMatch(each -> each.isAssignableFrom(InterruptedException.class));
  }
}
