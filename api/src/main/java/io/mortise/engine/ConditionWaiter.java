package io.mortise.engine;

/** A thread that waits for a signal. */
final class ConditionWaiter {
  private final String id;
  private final Thread thread = Thread.currentThread();
  private volatile boolean signalled;
  private volatile boolean due;

  ConditionWaiter(String id) {
    this.id = id;
  }

  String id() {
    return id;
  }

  Thread thread() {
    return thread;
  }

  void setSignalled() {
    signalled = true;
  }

  boolean isSignalled() {
    return signalled;
  }

  /** Its message may have been lost: the store should be asked now. */
  void setDue() {
    due = true;
  }

  /** Whether that is so; then it is no longer. */
  boolean takeDue() {
    boolean was = due;
    due = false;
    return was;
  }
}
