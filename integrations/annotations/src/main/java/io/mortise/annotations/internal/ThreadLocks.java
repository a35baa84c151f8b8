package io.mortise.annotations.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The locks that are held for the work of each thread, the newest last. */
public final class ThreadLocks {
  private static final ThreadLocal<List<HeldLock>> HELD = new ThreadLocal<>();

  private ThreadLocks() {}

  /** The thread holds it from now on, until it is removed. */
  public static void add(HeldLock lock) {
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
  public static @Nullable HeldLock newest() {
    List<HeldLock> held = held();
    return held.isEmpty() ? null : held.get(held.size() - 1);
  }

  /** Whether one of them has that name. */
  public static boolean has(String name) {
    return held().stream().anyMatch(each -> each.target().has(name));
  }

  /**
   * A hold of one of these locks, on either side of it: one that is not reentrant before all
   * others; null if there is none.
   */
  static @Nullable HeldLock find(Target target) {
    HeldLock found = null;
    for (HeldLock each : held()) {
      if (each.target().overlaps(target) && (found == null || found.isReentrant())) {
        found = each;
      }
    }
    return found;
  }

  /** The holds of any of these locks, and of that side of it. */
  static List<HeldLock> around(Target target, boolean shared) {
    List<HeldLock> held = held();
    return held.isEmpty()
        ? List.of()
        : held.stream()
            .filter(each -> each.isShared() == shared && each.target().overlaps(target))
            .toList();
  }

  /** Throws if one of them is lost. Without any it does nothing. */
  public static void ensureHeld() {
    held().forEach(HeldLock::ensureHeld);
  }
}
