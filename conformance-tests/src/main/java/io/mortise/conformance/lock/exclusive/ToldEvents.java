package io.mortise.conformance.lock.exclusive;

import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Notes what a listener is told of each attempt. Thread-safe. */
final class ToldEvents implements LockListener {
  private final Map<LockAttempt, List<String>> byAttempt = new ConcurrentHashMap<>();
  private final List<String> all = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final List<Boolean> renewals = new CopyOnWriteArrayList<>();

  @Override
  public void waiting(LockAttempt attempt) {
    note(attempt, "waiting");
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck") // makes a wrong order likelier
  public void acquired(LockAttempt attempt, LockHold hold) {
    Thread.yield(); // lets other threads overtake
    note(attempt, "acquired " + hold.via());
  }

  @Override
  public void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {
    if (failure != null) {
      failures.add(failure);
    }
    note(attempt, outcome.toString());
  }

  @Override
  public void released(LockHold hold) {
    note(hold.attempt(), "released");
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    note(hold.attempt(), "lost " + cause);
  }

  @Override
  public void renewed(int holds, long nanos, boolean ok) {
    renewals.add(ok);
  }

  private void note(LockAttempt attempt, String event) {
    byAttempt.computeIfAbsent(attempt, key -> new CopyOnWriteArrayList<>()).add(event);
    all.add(event);
  }

  /** All events, in the order in which they were told. */
  List<String> all() {
    return List.copyOf(all);
  }

  Collection<LockAttempt> attempts() {
    return byAttempt.keySet();
  }

  /** The events of each attempt. */
  Collection<List<String>> rows() {
    return byAttempt.values();
  }

  List<Throwable> failures() {
    return failures;
  }

  List<Boolean> renewals() {
    return renewals;
  }
}
