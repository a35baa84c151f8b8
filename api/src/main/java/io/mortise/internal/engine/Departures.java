package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a service gives back, by lock, until the store has answered or has not. Nobody uses it, so
 * it is no reason to refuse an attempt that does not wait. A plain hold that goes back is in here
 * while its {@link Gate} is RELEASING. Thread-safe; each call takes the same time, however much is
 * out.
 */
final class Departures {
  private final Map<Object, CompletableFuture<Void>> answers = new ConcurrentHashMap<>();

  /** For each queue, what completes when all are answered that are out. */
  private final Map<String, CompletableFuture<Void>> all = new ConcurrentHashMap<>();

  /**
   * An acquisition, or some of its permits, is about to be given back. A second call for the same
   * object does nothing. {@link #answered} follows in any case, unless the service closes.
   */
  void begins(Object leaving, LockKeys keys) {
    if (!answers.containsKey(leaving)) { // most releases come here twice
      CompletableFuture<Void> answer = new CompletableFuture<>();
      if (answers.putIfAbsent(leaving, answer) == null) {
        all.merge(keys.queue(), answer, CompletableFuture::allOf);
      }
    }
  }

  /** The store has answered, or has not answered in time. */
  void answered(Object left, LockKeys keys) {
    CompletableFuture<Void> answer = answers.remove(left);
    if (answer != null) {
      answer.complete(null);
      all.computeIfPresent(keys.queue(), (queue, last) -> last.isDone() ? null : last);
    }
  }

  /** What completes when all are answered that are out now; null if none is. */
  @Nullable CompletableFuture<Void> of(LockKeys keys) {
    return all.get(keys.queue());
  }
}
