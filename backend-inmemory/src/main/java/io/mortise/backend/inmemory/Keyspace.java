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
 * Keys with values of three types, each with an optional end. A string is a {@link LuaString}. The
 * time stands still between two calls of {@link #readClock}, as it does in Redis while a script
 * runs. If the clock is stepped meanwhile, TIME and the ends that are set follow it, and whether a
 * key is over still goes by the time that was read: so it is up to Redis 7.0. Guarded by the
 * store's lock.
 */
final class Keyspace {
  /** Fields in the order they were added, which is the order Redis gives small hashes. */
  record Hash(Map<LuaString, LuaString> fields) {}

  /** The end of a key that has none. */
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

  /** A keyspace whose clock shows {@code epochMicros} now and goes on with the time source. */
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

  /** Sets the value; an end the key has stays. */
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

  /** When a live key ends, in ms since the epoch; {@link #NEVER}; null if there is no such key. */
  @Nullable Long endMillis(LuaString key) {
    Entry entry = live(key);
    return entry == null ? null : entry.endMillis;
  }

  /** Sets when a live key ends; false if there is no such key. */
  boolean endAt(LuaString key, long millis) {
    Entry entry = live(key);
    if (entry == null) {
      return false;
    }
    entry.endMillis = millis;
    return true;
  }

  /** How many keys are kept, ended ones that nobody has read since included. */
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

  /** As in Redis, a key is still there in its last millisecond, with a PTTL of 0. */
  private boolean isOver(Entry entry) {
    return entry.endMillis < readMicros / 1_000;
  }

  /** Keys that nobody touches any more go when the keyspace has doubled since the last sweep. */
  private void sweepIfGrown() {
    if (entries.size() >= sweepAt) {
      entries.values().removeIf(this::isOver);
      sweepAt = Math.max(FIRST_SWEEP, 2 * entries.size());
    }
  }
}
