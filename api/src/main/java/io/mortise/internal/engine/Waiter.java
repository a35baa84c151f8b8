package io.mortise.internal.engine;

import io.mortise.LockAttempt.Outcome;
import io.mortise.internal.engine.Dialog.Patience;
import io.mortise.internal.told.ToldAttempt;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread's request for a lock: which lease it wants, how long it waits, and whether interrupts
 * end the wait. An uninterruptible wait notes interrupts and restores them at its end. Changed by
 * its own thread alone. Only its hold may be set by another thread of the same gate, under the
 * gate's mutex, and another thread may make it fail.
 */
public final class Waiter {
  /** How long a timed waiter waits for a connection at least (ns). */
  private static final long LEAST_PATIENCE = Duration.ofMillis(500).toNanos();

  private static final long FOREVER = TimeUnit.HOURS.toNanos(1);

  private final Thread thread = Thread.currentThread();
  private final LeaseTerms lease;
  private final long start;
  private final boolean interruptible;
  private Patience patience;
  private long deadline;
  private boolean recalls;
  private boolean interrupted;
  private boolean remote;
  private boolean looks;
  private String beside = "";
  private boolean shares;
  private boolean unbreakable;
  private volatile boolean shown;
  private long overslept;
  private @Nullable Hold hold;
  private @Nullable ToldAttempt told;

  /** Makes the exception that ends its wait; null if nothing ends it. */
  private volatile @Nullable Supplier<? extends RuntimeException> failure;

  private Waiter(
      LeaseTerms lease, long start, Patience patience, boolean interruptible, long wait) {
    this.lease = lease;
    this.start = start;
    this.patience = patience;
    this.interruptible = interruptible;
    this.deadline = start + wait;
  }

  public static Waiter impatient(LeaseTerms lease, long now) {
    return new Waiter(lease, now, Patience.NONE, false, 0);
  }

  public static Waiter timed(LeaseTerms lease, long now, long wait) {
    // Half the range of nanoTime (146 years) keeps comparison by subtraction right.
    return new Waiter(lease, now, Patience.LIMITED, true, Math.min(wait, Long.MAX_VALUE / 2));
  }

  public static Waiter patient(LeaseTerms lease, long now, boolean interruptible) {
    return new Waiter(lease, now, Patience.UNLIMITED, interruptible, 0);
  }

  /** As {@link #impatient}, for an attempt that asks for other locks by the same command. */
  public static Waiter together(LeaseTerms lease, long now) {
    return new Waiter(lease, now, Patience.TOGETHER, false, 0);
  }

  /** For a read/write lock: the id of the hold that the thread has in the other mode. */
  public Waiter beside(String id) {
    beside = id;
    return this;
  }

  /** The id of the thread's hold in the other mode, or an empty text. */
  public String beside() {
    return beside;
  }

  /** For a read lock: it may hold by an acquisition that threads share. */
  public Waiter sharing() {
    shares = true;
    return this;
  }

  /** No deadlock ends its wait. Called before it begins. */
  public Waiter unbreakable() {
    unbreakable = true;
    return this;
  }

  boolean mayShare() {
    return shares;
  }

  public Thread thread() {
    return thread;
  }

  LeaseTerms lease() {
    return lease;
  }

  public long start() {
    return start;
  }

  Patience patience() {
    return patience;
  }

  boolean waits() {
    return patience != Patience.NONE && patience != Patience.TOGETHER;
  }

  /** Whether it asks for other locks too, of which each may be the one that refuses it. */
  public boolean isTogether() {
    return patience == Patience.TOGETHER;
  }

  public boolean isTimed() {
    return patience == Patience.LIMITED;
  }

  /** It was not to wait, and now waits until the holder has given back what nobody uses. */
  void recalls(long until) {
    patience = Patience.LIMITED;
    deadline = until;
    recalls = true;
  }

  /** It does not wait, but for the answer to a release of its own service, until that time. */
  void awaitsAnswer(long until) {
    deadline = until;
  }

  boolean isOver(long now) {
    return patience != Patience.UNLIMITED && now - deadline >= 0;
  }

  /** How long it may wait for a reply at most (ns), if others may wait that long. */
  long patience(long longest, long now) {
    return isTimed() ? Math.min(longest, deadline - now) : longest;
  }

  /**
   * The call, which waits for a connection no longer than this waiter waits. At the end of a short
   * wait it has as much time as making a connection takes: without a call there is no answer.
   */
  ScriptCall inTime(ScriptCall call, long now) {
    long whole = call.timeout().toNanos();
    long longest = Math.max(patience(whole, now), Math.min(whole / 4, LEAST_PATIENCE));
    boolean hasLimit = isTimed() || (waits() && interruptible);
    return hasLimit
        ? call.withPatience(new ScriptCall.Patience(Duration.ofNanos(longest), interruptible))
        : call;
  }

  /** How long ago its deadline was (ns); negative if it has none, or has time left. */
  long late(long now) {
    return isTimed() ? now - deadline : -1;
  }

  /** How long after its deadline it was woken at most (ns); 0 if it never was. */
  long overslept() {
    return overslept;
  }

  /** It has the lock by this hold. */
  void enters(Hold begun) {
    hold = begun;
  }

  /** It has the lock no more, and never knew that it had. */
  void entersNot() {
    hold = null;
  }

  /** The hold that it got; null if none. */
  public @Nullable Hold hold() {
    return hold;
  }

  /** Listeners are told of it as this attempt. */
  void setTold(ToldAttempt attempt) {
    told = attempt;
  }

  /** What listeners were told of it; null if nothing yet. */
  @Nullable ToldAttempt told() {
    return told;
  }

  /** What it means that it ends without the lock and without an exception. */
  Outcome refusal() {
    return waits() && !recalls ? Outcome.TIMED_OUT : Outcome.BUSY;
  }

  /** It begins to wait. From now on it is shown as one that waits, until it has ended. */
  void begins() {
    shown = true;
  }

  boolean isShown() {
    return shown;
  }

  /** The store gave this thread the lock. */
  void tookRemotely() {
    remote = true;
  }

  /** Whether the store gave the lock to this thread; false after a hand-off. */
  public boolean isRemote() {
    return remote;
  }

  /** Parks until unparked, interrupted, out of time, or {@code nanos} have passed. */
  void park(TimeSource time, Object blocker, long nanos) {
    long longest = Math.min(nanos, FOREVER);
    if (patience != Patience.UNLIMITED) {
      longest = Math.min(longest, deadline - time.nanoTime());
    }
    time.parkNanos(blocker, longest);
    if (isTimed()) {
      overslept = Math.max(overslept, late(time.nanoTime()));
    }
    if (!interruptible && Thread.interrupted()) {
      interrupted = true;
    }
  }

  void park(TimeSource time, Object blocker) {
    park(time, blocker, FOREVER);
  }

  void unpark(TimeSource time) {
    time.unpark(thread);
  }

  /**
   * Unparks it to look for a hold that is handed off, unless it was unparked for that and has not
   * looked since. Call it under the gate's mutex.
   */
  void wakeToLook(TimeSource time) {
    if (!looks) {
      looks = true;
      unpark(time);
    }
  }

  /** It has found no hold, and parks. Call it under the mutex under which it has looked. */
  void hasLooked() {
    looks = false;
  }

  /** Ends its wait with an exception, as an interrupt would, if it may. Called on any thread. */
  void fail(TimeSource time, Supplier<? extends RuntimeException> exception) {
    if (!unbreakable) {
      failure = exception;
      unpark(time);
    }
  }

  /** Whether something other than time ends its wait. */
  boolean isInterrupted() {
    return failure != null || (interruptible && thread.isInterrupted());
  }

  void checkInterrupt() throws InterruptedException {
    Supplier<? extends RuntimeException> why = failure;
    if (why != null) {
      throw why.get();
    }
    if (interruptible && Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Restores the interrupt that an uninterruptible wait has noted. */
  public void restoreInterrupt() {
    if (interrupted) {
      thread.interrupt();
    }
  }
}
