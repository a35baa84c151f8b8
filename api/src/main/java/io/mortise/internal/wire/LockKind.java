package io.mortise.internal.wire;

import io.mortise.Kind;

/**
 * The kinds of lock, with the properties of each in one line. Plain, fair and fenced are kinds of
 * handle of one and the same lock.
 */
public enum LockKind {
  /** Exclusive. The threads of a service hand it off to each other. */
  PLAIN("lock", "", Kind.PLAIN, Family.EXCLUSIVE, Waits.TOGETHER),
  /** As plain, but every thread waits in the store's queue by itself, and none overtakes it. */
  FAIR("lock", ", fair", Kind.FAIR, Family.EXCLUSIVE, Waits.ALONE),
  /** As plain, but every hold has a token, which comes with the reply to its own command. */
  FENCED("lock", "", Kind.FENCED, Family.EXCLUSIVE, Waits.FOR_TOKENS),
  /** As plain, but clients of Redisson acquire it too, by Redisson's own key. */
  REDISSON("lock", ", shared with Redisson", Kind.PLAIN, Family.REDISSON, Waits.TOGETHER),
  /** The read side of a read/write lock. */
  READ("read lock", ", read", Kind.READ, Family.READ_WRITE, Waits.ALONE),
  /** The write side of a read/write lock. */
  WRITE("write lock", ", write", Kind.WRITE, Family.READ_WRITE, Waits.ALONE),
  /** Permits of a semaphore. */
  SEMAPHORE("semaphore", "", Kind.SEMAPHORE, Family.SEMAPHORE, Waits.ALONE),
  /** A count-down latch. */
  LATCH("count-down latch", "", Kind.LATCH, Family.LATCH, Waits.ALONE);

  /** Kinds whose scripts share files and a prefix of their names. */
  enum Family {
    EXCLUSIVE("", "unshared"),
    REDISSON("", "redisson"),
    READ_WRITE("rw-", ""),
    SEMAPHORE("sem-", ""),
    LATCH("latch-", "");

    private final String prefix;
    private final String freed;

    Family(String prefix, String freed) {
      this.prefix = prefix;
      this.freed = freed;
    }

    /** The prefix of the names of its scripts. */
    String prefix() {
      return prefix;
    }

    /** The file with what happens to a lock that is free. Empty for a kind with several holders. */
    String freed() {
      return freed;
    }
  }

  /** The gates of the kind: whether the threads of a service share one (see {@code Gate}). */
  private enum Waits {
    /** All threads share one gate. */
    TOGETHER(""),
    /** All threads that want a token share one gate. */
    FOR_TOKENS("!"),
    /** Each thread has its own gate, so each one has its own place in the store's queue. */
    ALONE("#");

    private final String mark;

    Waits(String mark) {
      this.mark = mark;
    }
  }

  private final String noun;
  private final String label;
  private final Kind told;
  private final Family family;
  private final Waits waits;

  LockKind(String noun, String label, Kind told, Family family, Waits waits) {
    this.noun = noun;
    this.label = label;
    this.told = told;
    this.family = family;
    this.waits = waits;
  }

  /** The word for the kind in messages. */
  String noun() {
    return noun;
  }

  /** The text behind the name in a handle's {@code toString}, or empty. */
  public String label() {
    return label;
  }

  /** The kind as the application knows it. */
  public Kind told() {
    return told;
  }

  Family family() {
    return family;
  }

  /**
   * Whether the reply to a release may grant the lock to a waiter of the same service (rule Q5). A
   * token comes with a reply to its own command, Redisson's clients have turns, and nobody holds a
   * latch.
   */
  public boolean mayBeGrantedInReply() {
    return this != FENCED && this != REDISSON && this != LATCH;
  }

  /** Whether one command can acquire or release several locks of the kind. */
  public boolean joins() {
    return this == PLAIN || this == FAIR;
  }

  /** Whether a hold has a fencing token. */
  public boolean hasTokens() {
    return waits == Waits.FOR_TOKENS;
  }

  /** The key of the gate at which a thread waits for the lock with this key. */
  String gate(String lock, long threadId) {
    if (waits == Waits.ALONE) {
      return lock + waits.mark + threadId;
    }
    return waits.mark.isEmpty() ? lock : lock + waits.mark; // to add an empty text would copy it
  }
}
