package io.mortise.internal.engine;

/** A thread that waits for a signal of a condition. */
public final class ConditionWaiter {
  private final String id;
  private final Thread thread = Thread.currentThread();
  private volatile boolean signalled;
  private volatile boolean due;

  public ConditionWaiter(String id) {
    this.id = id;
  }

  public String id() {
    return id;
  }

  public Thread thread() {
    return thread;
  }

  public void setSignalled() {
    signalled = true;
  }

  public boolean isSignalled() {
    return signalled;
  }

  /** Its message may have been lost: it should ask the store now. */
  void setDue() {
    due = true;
  }

  /** Whether it should ask the store now. Resets that. */
  public boolean takeDue() {
    boolean was = due;
    due = false;
    return was;
  }
}
