package io.mortise.internal.wire;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A lock's name and its keys in the store. All keys of a name are in one hash slot. A name with a
 * <code>{tag}</code> is used as it is, and any other name is put in braces.
 *
 * @param name the name that the application gave
 * @param all the keys lock, queue and alive, in the order in which the scripts take them. The
 *     fourth is the counter of a fenced lock, or the readers of a read/write lock. The first is the
 *     permits of a semaphore, or the count of a latch
 * @param kind the kind of lock
 * @param permits the number of a semaphore's permits that an acquisition wants; otherwise 0
 */
public record LockKeys(String name, List<String> all, LockKind kind, int permits) {
  private static final Set<LockKind> EXCLUSIVE = EnumSet.range(LockKind.PLAIN, LockKind.FENCED);

  private static final String READ_WRITE = "rw:";
  private static final String COMPANIONS = "redisson:";
  private static final String TAG_COMPANIONS = "redisson-tag:";
  private static final String CHANNEL = "redisson_lock__channel:";
  private static final String SEMAPHORE = "sem:permits:";
  private static final String LATCH = "latch:count:";

  /**
   * The texts behind the prefix with which the keys of some kinds begin, so that they differ from
   * those of a plain lock.
   */
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

  /** The same keys, for handles of another kind. */
  public LockKeys as(LockKind other) {
    return new LockKeys(name, all, other);
  }

  /** The same keys, with the counter of fencing tokens. */
  public LockKeys fenced(String prefix) {
    return with(prefix + "fence:" + slot(lockPrefix(prefix)), LockKind.FENCED);
  }

  private LockKeys with(String fourth, LockKind other) {
    return new LockKeys(name, List.of(all.get(0), all.get(1), all.get(2), fourth), other);
  }

  /** The key of the counter of a fenced lock's tokens. */
  public String counter() {
    return all.get(3);
  }

  /** The key of the counter of the tokens of a Redlock that has this lock as a member. */
  String redCounter(String prefix) {
    return prefix + "red-fence:" + Names.slot("lock name", name);
  }

  /** The keys of the read/write lock of a name, for the write side. */
  public static LockKeys readWrite(String prefix, String name) {
    LockKeys keys = of(prefix + READ_WRITE, name);
    String readers = prefix + READ_WRITE + "readers:" + keys.slot(lockPrefix(prefix + READ_WRITE));
    return keys.with(readers, LockKind.WRITE);
  }

  /**
   * The keys of a condition of this lock, as the script takes them: the lock, the queue of the
   * condition, and which of its waiters count as alive.
   */
  public List<String> condition(String prefix, String condition) {
    Names.check("condition name", condition);
    if (condition.indexOf('{') >= 0 || condition.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "condition name '" + Names.shown(condition) + "' has a brace or a colon; leave them out");
    }
    String home =
        isRedisson() ? companions(prefix, name) : prefix + (isReadWrite() ? READ_WRITE : "");
    String key = condition + ':' + Names.slot("lock name", name);
    return List.of(all.get(0), home + "cond:" + key, home + "cond-alive:" + key);
  }

  /**
   * The keys of the lock that Redisson's clients have by the same name. The key of the lock is the
   * bare name, as in Redisson. Queue and alive are Mortise's own. They are other keys than those of
   * the unshared lock, which other services may use by this name.
   */
  static LockKeys redisson(String prefix, String name) {
    String slot = Names.slot("lock name", name);
    if (name.startsWith(prefix)) {
      throw new IllegalArgumentException(
          "lock name '%s' begins with the key prefix '%s', and a lock shared with Redisson has its name as key; use another name or another prefix"
              .formatted(Names.shown(name), Names.shown(prefix)));
    }
    String own = companions(prefix, name);
    return new LockKeys(
        name, List.of(name, own + "queue:" + slot, own + "alive:" + slot), LockKind.REDISSON);
  }

  /**
   * The beginning of Mortise's own keys of a lock shared with Redisson. In Redisson, <code>foo
   * </code> and <code>{foo}</code> are two locks in one slot, so these need different keys.
   */
  private static String companions(String prefix, String name) {
    return prefix + (Names.isTagAlone(name) ? TAG_COMPANIONS : COMPANIONS);
  }

  public boolean isRedisson() {
    return kind == LockKind.REDISSON;
  }

  /**
   * The channel on which Redisson's clients receive that their lock is free. As in Redisson, the
   * name is in braces, unless it has a brace.
   */
  public String redissonChannel() {
    return CHANNEL + (name.indexOf('{') < 0 ? '{' + name + '}' : name);
  }

  /** The keys of the semaphore of a name, for acquisitions of one permit. */
  public static LockKeys semaphore(String prefix, String name) {
    return queued(prefix, SEMAPHORE, name, LockKind.SEMAPHORE).wanting(1);
  }

  /** The same keys, for acquisitions of that many permits. */
  public LockKeys wanting(int wanted) {
    return new LockKeys(name, all, kind, wanted);
  }

  public static LockKeys latch(String prefix, String name) {
    return queued(prefix, LATCH, name, LockKind.LATCH);
  }

  /**
   * The keys of a semaphore or a latch, which shares no keys with a lock.
   *
   * @param first the beginning of the first key behind the prefix: the family, and the content of
   *     that key
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

  public boolean isFair() {
    return kind == LockKind.FAIR;
  }

  public boolean isReadWrite() {
    return kind == LockKind.READ || kind == LockKind.WRITE;
  }

  /** The kinds of handle by which a thread may have acquired the hold that these handles see. */
  public Set<LockKind> kindsOfHold() {
    return EXCLUSIVE.contains(kind) ? EXCLUSIVE : Set.of(kind);
  }

  /** The key of the {@code Gate} at which a thread of this service waits. */
  public String gate(long threadId) {
    return kind.gate(lock(), threadId);
  }

  /** The keys that belong to a lock key, as a message has it. */
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

  /** The keys of the lock whose holds are in a key; null if that key has no holds. */
  public static @Nullable LockKeys ofHolds(String prefix, String key) {
    String readers = prefix + READ_WRITE + "readers:";
    boolean reads = key.startsWith(readers);
    boolean holds =
        Stream.of(lockPrefix(prefix), lockPrefix(prefix + READ_WRITE), prefix + SEMAPHORE)
            .anyMatch(key::startsWith);
    if (!reads && !holds) {
      return null;
    }
    try {
      LockKeys keys =
          reads ? readWrite(prefix, name(key, readers)).as(LockKind.READ) : ofLockKey(prefix, key);
      return keys.lock().equals(key) ? keys : null;
    } catch (IllegalArgumentException e) {
      return null; // no lock has such a name, so it is another program's key
    }
  }

  private static String name(String key, String before) {
    return Names.ofSlot(key.substring(before.length()));
  }

  private static String lockPrefix(String prefix) {
    return prefix + "lock:";
  }

  /** The lock, and which side of it, for messages. */
  public String text() {
    return kind.noun() + " '" + Names.shown(name) + "'";
  }

  /** The key in which the store keeps the holds. */
  public String lock() {
    return all.get(kind == LockKind.READ ? 3 : 0);
  }

  /** The key of the queue of the lock. */
  public String queue() {
    return all.get(1);
  }

  /** Refuses a text that cannot be a key prefix, or that leads into the keys of another prefix. */
  public static void checkPrefix(String prefix) {
    Names.checkPrefix(prefix, FAMILIES);
  }
}
