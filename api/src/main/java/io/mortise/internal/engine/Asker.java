package io.mortise.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * The thread that asked for a lease, and where in the application. The place costs a walk through
 * the stack, so it is known only while the story of locks is logged.
 */
record Asker(Thread thread, @Nullable String place) {
  private static final String API = "io.mortise.";

  static Asker here() {
    return new Asker(Thread.currentThread(), LockLog.isOn() ? findPlace() : null);
  }

  /** The nearest line of code on the stack that is not of this library. */
  static @Nullable String findPlace() {
    return StackWalker.getInstance()
        .walk(frames ->
            frames
                .filter(each -> !isOurs(each.getClassName()))
                .findFirst()
                .map(each -> each.toStackTraceElement().toString())
                .orElse(null));
  }

  private static boolean isOurs(String type) {
    return type.startsWith("io.mortise.internal.")
        || (type.startsWith(API) && Character.isUpperCase(type.charAt(API.length())));
  }

  @Override
  public String toString() {
    return "thread " + thread.getName() + (place == null ? "" : " at " + place);
  }
}
