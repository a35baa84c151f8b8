package io.mortise.engine;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A lock's name and its keys in the store. All keys of one name share its hash slot: a name with a
 * <code>{tag}</code> is used as it is, any other is put in braces.
 *
 * @param name as the application gave it
 * @param all lock, queue and alive, in the order the scripts take them; for a fenced lock its
 *     counter
 * @param kind what its handles promise
 */
record LockKeys(String name, List<String> all, Kind kind) {
  /** Handles of one name that are the same lock, and differ in what they promise. */
  enum Kind {
    /** Threads of a process pass it on among themselves. */
    PLAIN,
    /** Every thread waits in the store's queue by itself, and nobody passes it. */
    FAIR,
    /** As plain, and every hold has a token. */
    FENCED
  }

  private static final int LONGEST = 512;

  static LockKeys of(String prefix, String name) {
    String slot = slot("lock name", name);
    return new LockKeys(
        name,
        List.of(lockPrefix(prefix) + slot, prefix + "queue:" + slot, prefix + "alive:" + slot),
        Kind.PLAIN);
  }

  /** The same lock, for handles of another kind. */
  LockKeys as(Kind other) {
    return new LockKeys(name, all, other);
  }

  /** The same lock with a counter of tokens. */
  LockKeys fenced(String prefix) {
    String counter = prefix + "fence:" + lock().substring(lockPrefix(prefix).length());
    return new LockKeys(name, List.of(all.get(0), all.get(1), all.get(2), counter), Kind.FENCED);
  }

  /** The counter of a fenced lock's tokens. */
  String counter() {
    return all.get(3);
  }

  boolean isFair() {
    return kind == Kind.FAIR;
  }

  /**
   * Where a thread of this process waits: at the one gate of all, at that of all who want a token,
   * or at one of its own.
   */
  String gate(long threadId) {
    return switch (kind) {
      case PLAIN -> lock();
      case FAIR -> lock() + '#' + threadId;
      case FENCED -> lock() + '!';
    };
  }

  /** The keys that belong to a lock key, as a message carries it. */
  static LockKeys ofLockKey(String prefix, String lockKey) {
    String slot = lockKey.substring(lockPrefix(prefix).length());
    boolean added = slot.startsWith("{") && slot.indexOf('}') == slot.length() - 1;
    return of(prefix, added ? slot.substring(1, slot.length() - 1) : slot);
  }

  private static String lockPrefix(String prefix) {
    return prefix + "lock:";
  }

  String lock() {
    return all.get(0);
  }

  /** The name in braces, unless it has some: where its keys are on a cluster. */
  static String slot(String what, String name) {
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
