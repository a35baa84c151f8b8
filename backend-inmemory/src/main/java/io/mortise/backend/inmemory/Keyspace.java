package io.mortise.backend.inmemory;

import io.mortise.spi.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.luaj.vm2.LuaString;

/**
 * Keys with values of three types, each with an optional expiry. A string is a {@link LuaString}.
 * Guarded by the store's lock.
 *
 * <p>Time stands still between two calls of {@link #readClock}, as it does in Redis while a script
 * runs. If the clock is stepped in between, TIME and newly set expiries follow the step. Whether a
 * key has expired still depends on the time that was read. Redis behaves the same up to 7.0.
 */
final class Keyspace {
  /** Fields in the order of their addition, which is Redis's order for small hashes. */
  record Hash(Map<LuaString, LuaString> fields) {}

  /** The end of a key without an expiry. */
  static final long NEVER = Long.MAX_VALUE;

  private static final int FIRST_SWEEP = 1_024;

  private static final class Entry {
    Object value;
    long endMillis = NEVER;

    Entry(Object value) {
      this.value = value;
    }
  }

  private final Map<LuaString, Entry> entries = new HashMap<>();
  private final TimeSource time;
  private long microsAtZero;
  private long readMicros;
  private long stepMicros;
  private int sweepAt = FIRST_SWEEP;

  /** Creates a keyspace whose clock shows {@code epochMicros} now and follows the time source. */
  Keyspace(TimeSource time, long epochMicros) {
    this.time = time;
    microsAtZero = epochMicros - time.nanoTime() / 1_000;
    readClock();
  }

  void readClock() {
    microsAtZero += stepMicros;
    stepMicros = 0;
    readMicros = microsAtZero + time.nanoTime() / 1_000;
  }

  /** Sets the server's clock forward, or back if negative. */
  void stepClock(long micros) {
    stepMicros += micros;
  }

  long nowMicros() {
    return readMicros + stepMicros;
  }

  long nowMillis() {
    return nowMicros() / 1_000;
  }

  @Nullable LuaString string(LuaString key) {
    return typed(key, LuaString.class);
  }

  @Nullable Hash hash(LuaString key) {
    return typed(key, Hash.class);
  }

  @Nullable SortedSet sortedSet(LuaString key) {
    return typed(key, SortedSet.class);
  }

  Hash hashOrNew(LuaString key) {
    Hash hash = hash(key);
    if (hash == null) {
      hash = new Hash(new LinkedHashMap<>());
      put(key, hash);
    }
    return hash;
  }

  SortedSet sortedSetOrNew(LuaString key) {
    SortedSet set = sortedSet(key);
    if (set == null) {
      set = new SortedSet();
      put(key, set);
    }
    return set;
  }

  /** The value of a live key, of any type. */
  @Nullable Object value(LuaString key) {
    Entry entry = live(key);
    return entry == null ? null : entry.value;
  }

  /** Sets the value, and keeps the key's expiry. */
  void put(LuaString key, Object value) {
    Entry entry = live(key);
    if (entry != null) {
      entry.value = value;
      return;
    }
    sweepIfGrown();
    entries.put(key, new Entry(value));
  }

  boolean delete(LuaString key) {
    return live(key) != null && entries.remove(key) != null;
  }

  /**
   * The end of a live key, in ms since the epoch; {@link #NEVER} without an expiry; null without a
   * live key.
   */
  @Nullable Long endMillis(LuaString key) {
    Entry entry = live(key);
    return entry == null ? null : entry.endMillis;
  }

  /** Sets the end of a live key. Returns false if there is no such key. */
  boolean endAt(LuaString key, long millis) {
    Entry entry = live(key);
    if (entry == null) {
      return false;
    }
    entry.endMillis = millis;
    return true;
  }

  /** The number of stored keys, including expired keys that no command has read since. */
  int size() {
    return entries.size();
  }

  /** The live keys, sorted. */
  Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    entries.forEach((key, entry) -> {
      if (!isOver(entry)) {
        keys.add(Numbers.string(key));
      }
    });
    return keys;
  }

  private <T> @Nullable T typed(LuaString key, Class<T> type) {
    Object value = value(key);
    if (value != null && !type.isInstance(value)) {
      throw CommandException.wrongType();
    }
    return type.cast(value);
  }

  private @Nullable Entry live(LuaString key) {
    Entry entry = entries.get(key);
    if (entry != null && isOver(entry)) {
      entries.remove(key);
      return null;
    }
    return entry;
  }

  /** As in Redis, a key still exists in its last millisecond, with a PTTL of 0. */
  private boolean isOver(Entry entry) {
    return entry.endMillis < readMicros / 1_000;
  }

  /**
   * Removes expired keys when the keyspace has doubled since the last sweep. This removes keys that
   * no command reads any more.
   */
  private void sweepIfGrown() {
    if (entries.size() >= sweepAt) {
      entries.values().removeIf(this::isOver);
      sweepAt = Math.max(FIRST_SWEEP, 2 * entries.size());
    }
  }
}
