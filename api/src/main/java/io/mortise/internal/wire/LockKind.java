package io.mortise.internal.wire;

/**
 * What a handle promises, a line for each kind. Plain, fair and fenced are handles of one and the
 * same lock.
 */
public enum LockKind {
  /** Threads of a service hand it to each other. */
  PLAIN("lock", "", Family.EXCLUSIVE, Waits.TOGETHER, true),
  /** Every thread waits in the store's queue by itself, and none passes it. */
  FAIR("lock", ", fair", Family.EXCLUSIVE, Waits.ALONE, true),
  /** As plain, and every hold has a token, which comes with the reply to its own command. */
  FENCED("lock", "", Family.EXCLUSIVE, Waits.FOR_TOKENS, false),
  /** As plain, and clients of Redisson take it too, by Redisson's own key. */
  REDISSON("lock", ", shared with Redisson", Family.REDISSON, Waits.TOGETHER, false),
  /** The reading side of a read/write lock. */
  READ("read lock", ", read", Family.READ_WRITE, Waits.ALONE, true),
  /** The writing side of a read/write lock. */
  WRITE("write lock", ", write", Family.READ_WRITE, Waits.ALONE, true),
  /** Permits of a semaphore. */
  SEMAPHORE("semaphore", "", Family.SEMAPHORE, Waits.ALONE, true),
  /** A count-down latch. */
  LATCH("count-down latch", "", Family.LATCH, Waits.ALONE, false);

  /** The scripts of the kinds of a family share parts, and their names begin alike. */
  enum Family {
    EXCLUSIVE("", "queue", "exclusive"),
    REDISSON("", "queue", "exclusive", "redisson"),
    READ_WRITE("rw-", "queue", "rw", "line"),
    SEMAPHORE("sem-", "queue", "sem", "line"),
    LATCH("latch-", "queue", "latch", "line");

    private final String prefix;
    private final String[] parts;

    Family(String prefix, String... parts) {
      this.prefix = prefix;
      this.parts = parts;
    }

    /** What the names of its scripts begin with. */
    String prefix() {
      return prefix;
    }

    /** The files that its scripts share, in this order. */
    String[] parts() {
      return parts.clone();
    }
  }

  /** Where the threads of a service wait. */
  private enum Waits {
    /** At one gate. */
    TOGETHER(""),
    /** At one gate of those that want a token. */
    FOR_TOKENS("!"),
    /** Each at a gate of its own, so it queues in the store. */
    ALONE("#");

    private final String mark;

    Waits(String mark) {
      this.mark = mark;
    }
  }

  private final String noun;
  private final String label;
  private final Family family;
  private final Waits waits;
  private final boolean granting;

  LockKind(String noun, String label, Family family, Waits waits, boolean granting) {
    this.noun = noun;
    this.label = label;
    this.family = family;
    this.waits = waits;
    this.granting = granting;
  }

  /** What messages call it. */
  String noun() {
    return noun;
  }

  /** What a handle shows of it behind its name, or nothing. */
  public String label() {
    return label;
  }

  Family family() {
    return family;
  }

  /** Whether the reply to a release may grant it to a waiter of the same service. */
  public boolean mayBeGrantedInReply() {
    return granting;
  }

  /** Whether a hold has a fencing token. */
  public boolean hasTokens() {
    return waits == Waits.FOR_TOKENS;
  }

  /** The key of the gate at which a thread waits for the lock with this key. */
  String gate(String lock, long threadId) {
    return waits == Waits.ALONE ? lock + waits.mark + threadId : lock + waits.mark;
  }
}
