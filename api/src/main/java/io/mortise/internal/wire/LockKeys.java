package io.mortise.internal.wire;

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
public record LockKeys(String name, List<String> all, LockKind kind, int permits) {
  private static final Set<LockKind> EXCLUSIVE = EnumSet.range(LockKind.PLAIN, LockKind.FENCED);

  private static final String READ_WRITE = "rw:";
  private static final String COMPANIONS = "redisson:";
  private static final String TAG_COMPANIONS = "redisson-tag:";
  private static final String CHANNEL = "redisson_lock__channel:";
  private static final String SEMAPHORE = "sem:permits:";
  private static final String LATCH = "latch:count:";

  /** What keys of a kind begin with, behind the prefix, where other kinds have such keys too. */
  private static final List<String> FAMILIES =
      List.of(READ_WRITE, COMPANIONS, TAG_COMPANIONS, "sem:", "latch:");

  private LockKeys(String name, List<String> all, LockKind kind) {
    this(name, all, kind, 0);
  }

  public static LockKeys of(String prefix, String name) {
    String slot = Names.slot("lock name", name);
    return new LockKeys(
        name,
        List.of(lockPrefix(prefix) + slot, prefix + "queue:" + slot, prefix + "alive:" + slot),
        LockKind.PLAIN);
  }

  /** The same lock, for handles of another kind. */
  public LockKeys as(LockKind other) {
    return new LockKeys(name, all, other);
  }

  /** The same lock with a counter of tokens. */
  public LockKeys fenced(String prefix) {
    String counter = prefix + "fence:" + slot(lockPrefix(prefix));
    return new LockKeys(
        name, List.of(all.get(0), all.get(1), all.get(2), counter), LockKind.FENCED);
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
        name, List.of(keys.all.get(0), keys.all.get(1), keys.all.get(2), readers), LockKind.WRITE);
  }

  /**
   * The keys of one of its conditions, as the script takes them: the lock, the line of those who
   * wait for a signal, and who of them counts as alive.
   */
  public List<String> condition(String prefix, String condition) {
    Names.check("condition name", condition);
    if (condition.indexOf('{') >= 0 || condition.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "condition name '" + condition + "' has a brace or a colon; leave them out");
    }
    String home =
        isRedisson() ? companions(prefix, name) : prefix + (isReadWrite() ? READ_WRITE : "");
    String key = condition + ':' + Names.slot("lock name", name);
    return List.of(all.get(0), home + "cond:" + key, home + "cond-alive:" + key);
  }

  /**
   * The lock that clients of Redisson have by the same name: its key is the bare name, as theirs.
   * Queue and alive are ours, and other keys than those of the lock that is not shared, which other
   * services may use by this name.
   */
  static LockKeys redisson(String prefix, String name) {
    String slot = Names.slot("lock name", name);
    if (name.startsWith(prefix)) {
      throw new IllegalArgumentException(
          "lock name '%s' begins with the key prefix '%s', and a lock shared with Redisson has its name as key; use another name or another prefix"
              .formatted(name, prefix));
    }
    String own = companions(prefix, name);
    return new LockKeys(
        name, List.of(name, own + "queue:" + slot, own + "alive:" + slot), LockKind.REDISSON);
  }

  /**
   * What our keys beside Redisson's begin with. To Redisson <code>foo</code> and <code>{foo}</code>
   * are two locks, in one slot.
   */
  private static String companions(String prefix, String name) {
    return prefix + (Names.isTagAlone(name) ? TAG_COMPANIONS : COMPANIONS);
  }

  public boolean isRedisson() {
    return kind == LockKind.REDISSON;
  }

  /** Where Redisson's clients hear that their lock is free. */
  public String redissonChannel() {
    return CHANNEL + Names.slot("lock name", name);
  }

  /** The semaphore of a name, for acquisitions of one permit. */
  public static LockKeys semaphore(String prefix, String name) {
    return queued(prefix, SEMAPHORE, name, LockKind.SEMAPHORE).wanting(1);
  }

  /** The same semaphore, for acquisitions of so many permits. */
  public LockKeys wanting(int wanted) {
    return new LockKeys(name, all, kind, wanted);
  }

  public static LockKeys latch(String prefix, String name) {
    return queued(prefix, LATCH, name, LockKind.LATCH);
  }

  /**
   * The keys of what is neither a lock nor shares keys with one.
   *
   * @param first of what family it is, and what its first key holds
   */
  private static LockKeys queued(String prefix, String first, String name, LockKind kind) {
    String slot = Names.slot(kind == LockKind.LATCH ? "latch name" : "semaphore name", name);
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
    return kind == LockKind.FAIR;
  }

  boolean isReadWrite() {
    return kind == LockKind.READ || kind == LockKind.WRITE;
  }

  /** The kinds of handle through which a thread may have taken what these handles hold. */
  public Set<LockKind> kindsOfHold() {
    return EXCLUSIVE.contains(kind) ? EXCLUSIVE : Set.of(kind);
  }

  /** The key of the gate at which a thread of this service waits. */
  public String gate(long threadId) {
    return kind.gate(lock(), threadId);
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
    return Names.ofSlot(key.substring(before.length()));
  }

  private static String lockPrefix(String prefix) {
    return prefix + "lock:";
  }

  /** For messages: which lock, and which side of it. */
  public String text() {
    return kind.noun() + " '" + name + "'";
  }

  /** The key that a hold is in. */
  public String lock() {
    return all.get(kind == LockKind.READ ? 3 : 0);
  }

  /** The line of those who wait for the lock. */
  public String queue() {
    return all.get(1);
  }

  /** Refuses what cannot be a prefix, or would lead into the keys of another one. */
  public static void checkPrefix(String prefix) {
    Names.checkPrefix(prefix, FAMILIES);
  }
}
