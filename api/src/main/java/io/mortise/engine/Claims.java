package io.mortise.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The claims of a service that have not ended. While there are any, one timer beats, twenty times
 * per re-check period, and asks for all that are due with few batches of commands.
 */
final class Claims {
  private static final int BATCH = 200;
  private static final int BEATS_PER_CHECK = 20;

  private final Engine engine;
  private final Set<Claim> pending = ConcurrentHashMap.newKeySet();
  private final Beat beat;

  Claims(Engine engine) {
    this.engine = engine;
    Duration recheck = engine.settings().times().recheck();
    beat = new Beat(engine, recheck.toNanos() / BEATS_PER_CHECK, this::look, this::areAny);
  }

  void add(Claim claim) {
    pending.add(claim);
    beat.start();
    if (engine.isClosed()) {
      claim.close();
    }
  }

  void remove(Claim claim) {
    pending.remove(claim);
  }

  private boolean areAny() {
    return !pending.isEmpty();
  }

  private void look() {
    List<Claim> all = List.copyOf(pending);
    for (int from = 0; from < all.size(); from += BATCH) {
      ask(all.subList(from, Math.min(all.size(), from + BATCH)));
    }
  }

  /** Asks the store for it, if it is due. Does not block. */
  void ask(Claim claim) {
    ask(List.of(claim));
  }

  private void ask(Collection<Claim> claims) {
    List<Claim.Ask> due = claims.stream().map(Claim::begin).filter(Objects::nonNull).toList();
    if (due.isEmpty()) {
      return;
    }
    List<CompletableFuture<List<Object>>> replies;
    try {
      replies = send(due);
    } catch (RuntimeException e) {
      due.forEach(ask -> ask.answered(null, e));
      return;
    }
    for (int i = 0; i < replies.size(); i++) {
      Engine.whenReplied(replies.get(i), due.get(i)::answered);
    }
  }

  private List<CompletableFuture<List<Object>>> send(List<Claim.Ask> due) {
    return due.size() == 1
        ? List.of(engine.backend().executeAsync(due.get(0).call()))
        : engine.backend().executeAll(due.stream().map(Claim.Ask::call).toList());
  }

  /** Ends all of them: the service is closed. */
  void close() {
    beat.close();
    new ArrayList<>(pending).forEach(Claim::close);
  }
}
