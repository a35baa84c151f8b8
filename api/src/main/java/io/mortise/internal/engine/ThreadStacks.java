package io.mortise.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What threads hold, or held and lost, of each lock: a stack each, the newest on top. */
final class ThreadStacks<T> {
  /* Overview
   *
   * A thread that lost a hold is told by unlock(), once for each level, and then the hold is off its
   * stack. Not every thread unlocks. So what is over leaves its stack in two more ways:
   *
   *   the thread asked whether it holds the lock, and goes on     when it acquires its next lock
   *   the thread has ended, or KEPT newer ones are there          at the next look at all stacks
   *
   * A look at all stacks comes when they have doubled since the last one. So each push costs the
   * same on average, however many there are. Not thread-safe.
   */
  static final int KEPT = 10_000;
  private static final int FIRST_LOOK = 64;

  private record Key(Thread thread, String lock) {
    static Key of(String lock) {
      return new Key(Thread.currentThread(), lock);
    }
  }

  /** The stack that came first is first. None is empty. */
  private final Map<Key, Deque<T>> stacks = new LinkedHashMap<>();

  /** The stacks of each thread that asked, and was told that it holds nothing. */
  private final Map<Thread, Set<Key>> told = new HashMap<>();

  private final Predicate<T> over;
  private final Consumer<T> dropped;
  private int size;
  private int nextLook = FIRST_LOOK;

  /**
   * @param over whether a thread cannot hold by it any more
   * @param dropped gets what has left its stack
   */
  ThreadStacks(Predicate<T> over, Consumer<T> dropped) {
    this.over = over;
    this.dropped = dropped;
  }

  void push(Thread thread, String lock, T next) {
    stacks.computeIfAbsent(new Key(thread, lock), key -> new ArrayDeque<>(1)).push(next);
    size++;
    if (size > nextLook) {
      look();
      nextLook = Math.max(FIRST_LOOK, 2 * size);
    }
  }

  private void look() {
    Iterator<Map.Entry<Key, Deque<T>>> all = stacks.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Deque<T>> next = all.next();
      boolean ended = !next.getKey().thread().isAlive();
      Deque<T> stack = next.getValue();
      while ((ended || size > KEPT) && !stack.isEmpty() && over.test(stack.getLast())) {
        drop(stack.removeLast());
      }
      if (stack.isEmpty()) {
        all.remove();
        untell(next.getKey());
      }
    }
  }

  /** The newest of the calling thread; null if it has none. */
  @Nullable T find(String lock) {
    Deque<T> own = stacks.get(Key.of(lock));
    return own == null ? null : own.getFirst();
  }

  /** The newest of the thread with that id. It looks at all, so it is for diagnostics only. */
  @Nullable T find(String lock, long threadId) {
    return stacks.entrySet().stream()
        .filter(each -> each.getKey().lock().equals(lock))
        .filter(each -> each.getKey().thread().getId() == threadId)
        .map(each -> each.getValue().getFirst())
        .findFirst()
        .orElse(null);
  }

  boolean has(Thread thread, String lock, T one) {
    Deque<T> own = stacks.get(new Key(thread, lock));
    return own != null && own.contains(one);
  }

  void remove(Thread thread, String lock, T one) {
    Key key = new Key(thread, lock);
    Deque<T> own = stacks.get(key);
    if (own != null && own.remove(one)) {
      drop(one);
      if (own.isEmpty()) {
        stacks.remove(key);
        untell(key);
      }
    }
  }

  private void drop(T one) {
    size--;
    dropped.accept(one);
  }

  /** The calling thread asked, and is told that it does not hold the lock. */
  void tell(String lock) {
    Key key = Key.of(lock);
    if (stacks.containsKey(key)) {
      told.computeIfAbsent(key.thread(), thread -> new HashSet<>()).add(key);
    }
  }

  private void untell(Key key) {
    told.computeIfPresent(
        key.thread(), (thread, keys) -> keys.remove(key) && keys.isEmpty() ? null : keys);
  }

  boolean anyTold() {
    return !told.isEmpty();
  }

  /** The calling thread goes on with its next hold: it has no more use for what it was told of. */
  void forgetTold() {
    Set<Key> own = told.remove(Thread.currentThread());
    if (own != null) {
      own.forEach(key -> Objects.requireNonNull(stacks.remove(key)).forEach(this::drop));
    }
  }

  /** How many there are. */
  int size() {
    return size;
  }
}
