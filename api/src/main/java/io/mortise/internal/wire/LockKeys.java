package io.mortise.internal.wire;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A lock's name and its keys in the store. All keys of one name share its hash slot: a name with a
 * <code>{tag}</code> is used as it is, any other is put in braces.
 *
 * @param name as the application gave it
 * @param all lock, queue and alive, in the order the scripts take them; then the counter of a
 *     fenced lock, or the readers of a read/write lock. For the lock stand the permits of a
 *     semaphore, or the count of a latch
 * @param kind what its handles promise
 * @param permits how many of a semaphore's an acquisition wants; else 0
 */
public record LockKeys(String name, List<String> all, Kind kind, int permits) {
  /** What a handle promises. Plain, fair and fenced are handles of one and the same lock. */
  public enum Kind {
    /** Threads of a process pass it on among themselves. */
    PLAIN,
    /** Every thread waits in the store's queue by itself, and nobody passes it. */
    FAIR,
    /** As plain, and every hold has a token. */
    FENCED,
    /** As plain, and clients of Redisson take it too, by Redisson's own key. */
    REDISSON,
    /** The reading side of a read/write lock; every thread waits in the store's queue by itself. */
    READ,
    /** The writing side of a read/write lock, as its reading side. */
    WRITE,
    /** Permits of a semaphore. */
    SEMAPHORE,
    /** A count-down latch. */
    LATCH;

    /** What a handle shows of it. */
    public String label() {
      return switch (this) {
        case PLAIN, FENCED, SEMAPHORE, LATCH -> "";
        case FAIR -> ", fair";
        case REDISSON -> ", shared with Redisson";
        case READ -> ", read";
        case WRITE -> ", write";
      };
    }
  }

  private static final Set<Kind> EXCLUSIVE = EnumSet.range(Kind.PLAIN, Kind.FENCED);

  private static final int LONGEST = 512;
  private static final String READ_WRITE = "rw:";
  private static final String COMPANIONS = "redisson:";
  private static final String TAG_COMPANIONS = "redisson-tag:";
  private static final String CHANNEL = "redisson_lock__channel:";
  private static final String SEMAPHORE = "sem:permits:";
  private static final String LATCH = "latch:count:";

  /** What keys of a kind begin with, behind the prefix, where other kinds have such keys too. */
  private static final List<String> FAMILIES =
      List.of(READ_WRITE, COMPANIONS, TAG_COMPANIONS, "sem:", "latch:");

  private static final int LONGEST_PREFIX = 128;

  private LockKeys(String name, List<String> all, Kind kind) {
    this(name, all, kind, 0);
  }

  static LockKeys of(String prefix, String name) {
    String slot = slot("lock name", name);
    return new LockKeys(
        name,
        List.of(lockPrefix(prefix) + slot, prefix + "queue:" + slot, prefix + "alive:" + slot),
        Kind.PLAIN);
  }

  /** The same lock, for handles of another kind. */
  public LockKeys as(Kind other) {
    return new LockKeys(name, all, other);
  }

  /** The same lock with a counter of tokens. */
  public LockKeys fenced(String prefix) {
    String counter = prefix + "fence:" + slot(lockPrefix(prefix));
    return new LockKeys(name, List.of(all.get(0), all.get(1), all.get(2), counter), Kind.FENCED);
  }

  /** The counter of a fenced lock's tokens. */
  public String counter() {
    return all.get(3);
  }

  /** The read/write lock of a name, as one who writes has it. */
  public static LockKeys readWrite(String prefix, String name) {
    LockKeys keys = of(prefix + READ_WRITE, name);
    String readers = prefix + READ_WRITE + "readers:" + keys.slot(lockPrefix(prefix + READ_WRITE));
    return new LockKeys(
        name, List.of(keys.all.get(0), keys.all.get(1), keys.all.get(2), readers), Kind.WRITE);
  }

  /**
   * The keys of one of its conditions, as the script takes them: the lock, the line of those who
   * wait for a signal, and who of them counts as alive.
   */
  public List<String> condition(String prefix, String condition) {
    check("condition name", condition);
    if (condition.indexOf('{') >= 0 || condition.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "condition name '" + condition + "' has a brace or a colon; leave them out");
    }
    String home =
        isRedisson() ? companions(prefix, name) : prefix + (isReadWrite() ? READ_WRITE : "");
    String key = condition + ':' + slot("lock name", name);
    return List.of(all.get(0), home + "cond:" + key, home + "cond-alive:" + key);
  }

  /**
   * The lock that clients of Redisson have by the same name: its key is the bare name, as theirs.
   * Queue and alive are ours, and other keys than those of the lock that is not shared, which other
   * services may use by this name.
   */
  static LockKeys redisson(String prefix, String name) {
    String slot = slot("lock name", name);
    if (name.startsWith(prefix)) {
      throw new IllegalArgumentException(
          "lock name '%s' begins with the key prefix '%s', and a lock shared with Redisson has its name as key; use another name or another prefix"
              .formatted(name, prefix));
    }
    String own = companions(prefix, name);
    return new LockKeys(
        name, List.of(name, own + "queue:" + slot, own + "alive:" + slot), Kind.REDISSON);
  }

  /**
   * What our keys beside Redisson's begin with. To Redisson <code>foo</code> and <code>{foo}</code>
   * are two locks, in one slot.
   */
  private static String companions(String prefix, String name) {
    return prefix + (isTagAlone(name) ? TAG_COMPANIONS : COMPANIONS);
  }

  /** Whether another name, without braces, has the same slot text. */
  public static boolean isTagAlone(String name) {
    return name.startsWith("{") && name.endsWith("}");
  }

  public boolean isRedisson() {
    return kind == Kind.REDISSON;
  }

  /** Where Redisson's clients hear that their lock is free. */
  public String redissonChannel() {
    return CHANNEL + slot("lock name", name);
  }

  /** The semaphore of a name, for acquisitions of one permit. */
  public static LockKeys semaphore(String prefix, String name) {
    return queued(prefix, SEMAPHORE, name, Kind.SEMAPHORE).wanting(1);
  }

  /** The same semaphore, for acquisitions of so many permits. */
  public LockKeys wanting(int wanted) {
    return new LockKeys(name, all, kind, wanted);
  }

  public static LockKeys latch(String prefix, String name) {
    return queued(prefix, LATCH, name, Kind.LATCH);
  }

  /**
   * The keys of what is neither a lock nor shares keys with one.
   *
   * @param first of what family it is, and what its first key holds
   */
  private static LockKeys queued(String prefix, String first, String name, Kind kind) {
    String slot = slot(kind == Kind.LATCH ? "latch name" : "semaphore name", name);
    String family = prefix + first.substring(0, first.indexOf(':') + 1);
    return new LockKeys(
        name,
        List.of(prefix + first + slot, family + "queue:" + slot, family + "alive:" + slot),
        kind);
  }

  private String slot(String lockPrefix) {
    return all.get(0).substring(lockPrefix.length());
  }

  boolean isFair() {
    return kind == Kind.FAIR;
  }

  boolean isReadWrite() {
    return kind == Kind.READ || kind == Kind.WRITE;
  }

  /** The kinds of handle through which a thread may have taken what these handles hold. */
  public Set<Kind> kindsOfHold() {
    return EXCLUSIVE.contains(kind) ? EXCLUSIVE : Set.of(kind);
  }

  /**
   * What the id of an acquisition by these keys ends in: the scripts tell readers by it, how many
   * permits are wanted, and whom the reply to a release may name. Not who wants another lease than
   * that of the service, which the release gives, nor who gets a token with the answer to its own
   * command.
   *
   * @param whole whether it is for the lease of the service, also if another takes it over
   */
  public String idSuffix(boolean whole) {
    return whole && isNamed() ? ":n" + idSuffix() : idSuffix();
  }

  /** Whether the reply to a release may name who waits for the same. */
  public boolean isNamed() {
    return switch (kind) {
      case PLAIN, FAIR, READ, WRITE, SEMAPHORE -> true;
      case FENCED, REDISSON, LATCH -> false;
    };
  }

  /** What every id of an acquisition by these keys ends in. */
  public String idSuffix() {
    return permits > 0 ? ":p" + permits : kind == Kind.READ ? ":r" : "";
  }

  /**
   * Where a thread of this process waits: at the one gate of all, at that of all who want a token,
   * or at one of its own.
   */
  public String gate(long threadId) {
    return switch (kind) {
      case PLAIN, REDISSON -> lock();
      case FAIR, READ, WRITE, SEMAPHORE, LATCH -> lock() + '#' + threadId;
      case FENCED -> lock() + '!';
    };
  }

  /** The keys that belong to a lock key, as a message carries it. */
  public static LockKeys ofLockKey(String prefix, String lockKey) {
    if (!lockKey.startsWith(prefix)) {
      return redisson(prefix, lockKey);
    }
    if (lockKey.startsWith(prefix + SEMAPHORE)) {
      return semaphore(prefix, name(lockKey, prefix + SEMAPHORE));
    }
    if (lockKey.startsWith(prefix + LATCH)) {
      return latch(prefix, name(lockKey, prefix + LATCH));
    }
    if (lockKey.startsWith(lockPrefix(prefix + READ_WRITE))) {
      return readWrite(prefix, name(lockKey, lockPrefix(prefix + READ_WRITE)));
    }
    return of(prefix, name(lockKey, lockPrefix(prefix)));
  }

  private static String name(String key, String before) {
    String slot = key.substring(before.length());
    boolean added = slot.startsWith("{") && slot.indexOf('}') == slot.length() - 1;
    return added ? slot.substring(1, slot.length() - 1) : slot;
  }

  private static String lockPrefix(String prefix) {
    return prefix + "lock:";
  }

  /** For messages: which lock, and which side of it. */
  public String text() {
    String what =
        switch (kind) {
          case PLAIN, FAIR, FENCED, REDISSON -> "lock";
          case READ -> "read lock";
          case WRITE -> "write lock";
          case SEMAPHORE -> "semaphore";
          case LATCH -> "count-down latch";
        };
    return what + " '" + name + "'";
  }

  /** The key that a hold is in. */
  public String lock() {
    return all.get(kind == Kind.READ ? 3 : 0);
  }

  /** The line of those who wait for the lock. */
  public String queue() {
    return all.get(1);
  }

  /** Refuses what cannot be a prefix, or would lead into the keys of another one. */
  public static void checkPrefix(String prefix) {
    check("key prefix", prefix);
    if (prefix.indexOf('{') >= 0 || prefix.length() > LONGEST_PREFIX) {
      throw new IllegalArgumentException(
          "key prefix '%s' must have no braces and at most %d characters"
              .formatted(prefix, LONGEST_PREFIX));
    }
    for (String family : FAMILIES) {
      int start = prefix.length() - family.length();
      if (start > 0 && prefix.endsWith(family) && !isWord(prefix.charAt(start - 1))) {
        throw new IllegalArgumentException(
            "key prefix '%s' ends in '%s', which a service with key prefix '%s' puts before keys of its own: locks of different kinds would share keys; end it in another word (docs/wire-format.md)"
                .formatted(prefix, family, prefix.substring(0, start)));
      }
    }
  }

  private static boolean isWord(char letter) {
    return Character.isLetterOrDigit(letter);
  }

  /** The name in braces, unless it has some: where its keys are on a cluster. */
  public static String slot(String what, String name) {
    check(what, name);
    return name.indexOf('{') < 0 ? '{' + name + '}' : name;
  }

  static void check(String what, String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException(what + " is empty; give it 1 to 512 bytes of UTF-8");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          what + " '" + name + "' has half a surrogate pair and cannot be written in UTF-8");
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST) {
      throw new IllegalArgumentException(
          "%s '%s…' has %d bytes of UTF-8; at most %d are allowed"
              .formatted(what, name.substring(0, 32), bytes, LONGEST));
    }
    int open = name.indexOf('{');
    int close = name.indexOf('}');
    boolean none = open < 0 && close < 0;
    boolean oneTag =
        open >= 0
            && close > open + 1
            && name.indexOf('{', open + 1) < 0
            && name.indexOf('}', close + 1) < 0;
    if (!none && !oneTag) {
      throw new IllegalArgumentException(
          "%s '%s' has stray braces; use none, or exactly one {tag} that names the hash slot"
              .formatted(what, name));
    }
  }
}
