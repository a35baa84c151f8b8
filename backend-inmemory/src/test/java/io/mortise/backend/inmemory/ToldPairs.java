package io.mortise.backend.inmemory;

import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A listener that pairs what it is told: each attempt that waits ends once, and so does each hold.
 * Some of them throw whatever they can.
 */
final class ToldPairs implements LockListener {
  private final boolean throwing;
  private final Random random;
  private final Map<LockAttempt, String> attempts = new ConcurrentHashMap<>();
  private final Map<LockHold, String> holds = new ConcurrentHashMap<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  ToldPairs(Random options) {
    throwing = options.nextInt(3) == 0;
    random = new Random(options.nextLong());
  }

  /** What is told in vain, or twice, or after its end. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }

  /** What has no end yet. */
  List<String> open() {
    return Stream.concat(
            attempts.entrySet().stream()
                .filter(each -> each.getValue().equals("waits"))
                .map(each -> of(each.getKey()) + " waits"),
            holds.entrySet().stream()
                .filter(each -> each.getValue().equals("held"))
                .map(each -> each.getKey().holder() + " holds " + of(each.getKey().attempt())))
        .toList();
  }

  private static String of(LockAttempt attempt) {
    return attempt.kind() + " " + attempt.name() + (attempt.isLease() ? ", a lease" : "");
  }

  private void attempt(LockAttempt attempt, String now, @Nullable String before) {
    boolean right = before == null || (before.equals("waits") && !now.equals("waits"));
    if (!right) {
      wrong.add(of(attempt) + ": " + now + " after " + before);
    }
    mayThrow();
  }

  private void ends(LockHold hold, String how) {
    String before = holds.put(hold, how);
    if (!"held".equals(before)) {
      wrong.add(hold.holder() + " of " + of(hold.attempt()) + ": " + how + " after " + before);
    }
    mayThrow();
  }

  private void mayThrow() {
    int kind;
    synchronized (random) {
      kind = throwing ? random.nextInt(20) : 20;
    }
    switch (kind) {
      case 0 -> throw new IllegalStateException("by a listener, on purpose");
      case 1 -> throw new StackOverflowError("by a listener, on purpose");
      case 2 -> throw new OutOfMemoryError("by a listener, on purpose");
      default -> {}
    }
  }

  @Override
  public void waiting(LockAttempt attempt) {
    attempt(attempt, "waits", attempts.put(attempt, "waits"));
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    String twice = holds.put(hold, "held");
    attempt(attempt, "acquired", twice == null ? attempts.put(attempt, "acquired") : twice);
  }

  @Override
  public void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {
    attempt(attempt, outcome.toString(), attempts.put(attempt, outcome.toString()));
  }

  @Override
  public void released(LockHold hold) {
    ends(hold, "released");
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    ends(hold, "lost: " + cause);
  }
}
