package io.mortise.spring;

import io.mortise.DistributedLock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The locks that are held for the work of each thread, the newest last. */
final class ThreadLocks {
  private static final ThreadLocal<List<HeldLock>> HELD = new ThreadLocal<>();

  private ThreadLocks() {}

  static void add(HeldLock lock) {
    List<HeldLock> held = HELD.get();
    if (held == null) {
      held = new ArrayList<>(4);
      HELD.set(held);
    }
    held.add(lock);
  }

  static void remove(HeldLock lock) {
    List<HeldLock> held = HELD.get();
    if (held == null) {
      return;
    }
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i).equals(lock)) {
        held.remove(i);
        break;
      }
    }
    if (held.isEmpty()) {
      HELD.remove();
    }
  }

  /** The thread's locks. Those whose transaction another thread has ended are released before. */
  private static List<HeldLock> held() {
    List<HeldLock> held = HELD.get();
    if (held == null) {
      return List.of();
    }
    for (int i = held.size() - 1; i >= 0; i--) {
      held.get(i).endIfOver(); // may remove it
    }
    return held;
  }

  /** The newest; null if there is none. */
  static @Nullable HeldLock newest() {
    List<HeldLock> held = held();
    return held.isEmpty() ? null : held.get(held.size() - 1);
  }

  static boolean has(String name) {
    return held().stream().anyMatch(each -> each.lock().name().equals(name));
  }

  /** The newest hold of that lock, on either side of it; null if there is none. */
  static @Nullable HeldLock find(DistributedLock lock) {
    HeldLock found = null;
    for (HeldLock each : held()) {
      found = each.lock().equals(lock) ? each : found;
    }
    return found;
  }

  /** The newest hold of that lock, and of that side of it; null if there is none. */
  static @Nullable HeldLock find(DistributedLock lock, boolean shared) {
    HeldLock found = null;
    for (HeldLock each : held()) {
      found = each.isShared() == shared && each.lock().equals(lock) ? each : found;
    }
    return found;
  }

  /** Throws if one of them is lost. Without any it does nothing. */
  static void ensureHeld() {
    held().forEach(HeldLock::ensureHeld);
  }
}
