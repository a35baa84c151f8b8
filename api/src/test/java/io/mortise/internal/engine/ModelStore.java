package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The effect of the scripts on one lock in a few lines of Java: a holder, a queue, and a message
 * for each grant. Its time does not move.
 */
final class ModelStore implements LockBackend, TimeSource {
  private final Deque<String> queue = new ArrayDeque<>();
  private final Set<String> known = new HashSet<>();
  private @Nullable String holder;
  private @Nullable ChannelListener mailbox;
  private final String lockKey;

  ModelStore(LockKeys keys) {
    lockKey = keys.lock();
  }

  void deliverTo(ChannelListener listener) {
    mailbox = listener;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    String id = call.args().get(0);
    return switch (call.script().name()) {
      case "acquire" -> acquire(id, call.args().get(1).startsWith("try "));
      case "leave" -> List.of(leave(id) ? 1L : "ABSENT");
      default -> throw new IllegalArgumentException(call.toString());
    };
  }

  private synchronized List<Object> acquire(String id, boolean once) {
    if (holder == null) {
      holder = id;
    }
    if (id.equals(holder)) {
      return List.of(known.add(id) && queue.isEmpty() ? 1L : 2L);
    }
    known.add(id);
    if (once) {
      return List.of("BUSY", 30_000L);
    }
    if (!queue.contains(id)) {
      queue.add(id);
    }
    return List.of("WAIT", 30_000L, 1L, 1L);
  }

  /**
   * Returns whether the id held the lock. If so, the next waiter is granted the lock by a message.
   */
  private boolean leave(String id) {
    String next;
    synchronized (this) {
      queue.remove(id);
      if (!id.equals(holder)) {
        return false;
      }
      next = queue.poll();
      holder = next;
    }
    ChannelListener listener = mailbox;
    if (next != null && listener != null) {
      listener.onMessage("grant|" + next + '|' + lockKey);
    }
    return true;
  }

  /** Another process wants the lock, if it is held. */
  void wish() {
    String asked;
    synchronized (this) {
      asked = holder;
    }
    ChannelListener listener = mailbox;
    if (asked != null && listener != null) {
      listener.onMessage("wanted|" + asked + '|' + lockKey);
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return CompletableFuture.completedFuture(execute(call));
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return () -> {};
  }

  @Override
  public BackendInfo info() {
    return new BackendInfo("model", "7.0.0", true, true);
  }

  @Override
  public TimeSource time() {
    return this;
  }

  @Override
  public void close() {}

  // Time

  @Override
  public long nanoTime() {
    return 0;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.park(blocker);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return () -> {};
  }
}
