package io.mortise.cdi;

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
    int last = held.lastIndexOf(lock);
    if (last >= 0) {
      held.remove(last);
    }
    if (held.isEmpty()) {
      HELD.remove();
    }
  }

  private static List<HeldLock> held() {
    List<HeldLock> held = HELD.get();
    return held == null ? List.of() : held;
  }

  /** The newest; null if there is none. */
  static @Nullable HeldLock newest() {
    List<HeldLock> held = held();
    return held.isEmpty() ? null : held.get(held.size() - 1);
  }

  static boolean has(String name) {
    return held().stream().anyMatch(each -> each.target().has(name));
  }

  /**
   * A hold of one of these locks, on either side of it: one that is not reentrant before all
   * others; null if there is none.
   */
  static @Nullable HeldLock find(LockTarget target) {
    HeldLock found = null;
    for (HeldLock each : held()) {
      if (each.target().overlaps(target) && (found == null || found.isReentrant())) {
        found = each;
      }
    }
    return found;
  }

  /** The holds of any of these locks, and of that side of it. */
  static List<HeldLock> around(LockTarget target, boolean shared) {
    List<HeldLock> held = held();
    return held.isEmpty()
        ? List.of()
        : held.stream()
            .filter(each -> each.isShared() == shared && each.target().overlaps(target))
            .toList();
  }

  /** Throws if one of them is lost. Without any it does nothing. */
  static void ensureHeld() {
    held().forEach(HeldLock::ensureHeld);
  }
}
