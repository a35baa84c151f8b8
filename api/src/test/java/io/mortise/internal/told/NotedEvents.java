package io.mortise.internal.told;

import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Notes what a listener is told of each attempt and its hold. Thread-safe. */
public final class NotedEvents implements LockListener {
  private final Map<LockAttempt, List<String>> byAttempt = new ConcurrentHashMap<>();
  private final List<List<String>> rows = new CopyOnWriteArrayList<>();
  private volatile @Nullable Throwable failure;
  private volatile Runnable atWaiting = () -> {};

  /** Runs the task on the thread that is told of the next wait. */
  public void atWaiting(Runnable task) {
    atWaiting =
        () -> {
          atWaiting = () -> {};
          task.run();
        };
  }

  @Override
  public void waiting(LockAttempt attempt) {
    note(attempt, "waiting");
    atWaiting.run();
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    note(attempt, "acquired");
  }

  @Override
  public void notAcquired(LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable e) {
    failure = e;
    note(attempt, outcome.toString());
  }

  @Override
  public void released(LockHold hold) {
    note(hold.attempt(), "released");
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    note(hold.attempt(), "lost");
  }

  private void note(LockAttempt attempt, String event) {
    byAttempt
        .computeIfAbsent(
            attempt,
            key -> {
              List<String> row = new CopyOnWriteArrayList<>();
              rows.add(row);
              return row;
            })
        .add(event);
  }

  /** The events of each attempt, in the order of the first of each. */
  public List<List<String>> rows() {
    return List.copyOf(rows);
  }

  public @Nullable Throwable failure() {
    return failure;
  }
}
