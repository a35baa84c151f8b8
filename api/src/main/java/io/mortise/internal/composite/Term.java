package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LossCause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One term of a candidate. It says what may be told next: {@code onElected} first, and {@code
 * onRevoked} when that has returned and the term ends, by one thread. Thread-safe.
 */
final class Term {
  /**
   * Why a term ends.
   *
   * @param loss empty if the candidate stepped down or was closed
   * @param pause how long the candidate is none after it; none if not positive
   */
  record End(Optional<LossCause> loss, Duration pause) {}

  private final Lease lease;
  private final long number;
  private final CompletableFuture<Void> told = new CompletableFuture<>();
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private boolean begun;
  private boolean revoked;
  private volatile @Nullable End end;
  private volatile @Nullable Thread teller;

  Term(Lease lease) {
    this.lease = lease;
    number = lease.fencingToken().orElseThrow();
  }

  Lease lease() {
    return lease;
  }

  long number() {
    return number;
  }

  boolean leads() {
    return end == null && lease.isValid();
  }

  /** It ends, for the first of several reasons. */
  synchronized void ends(End why) {
    end = end == null ? why : end;
  }

  /** {@code onElected} has returned. */
  synchronized void begins() {
    begun = true;
  }

  /** Why it ends, if the caller is the one to tell {@code onRevoked} now; else null. */
  synchronized @Nullable End toBeRevoked() {
    boolean due = begun && end != null && !revoked;
    revoked |= due;
    return due ? end : null;
  }

  /** Notes which thread runs a callback; null if none does. */
  void tells(@Nullable Thread thread) {
    teller = thread;
  }

  @SuppressWarnings("ReferenceEquality") // whatever equals of the thread's class says
  boolean isToldHere() {
    return teller == Thread.currentThread();
  }

  /** Completes when {@code onRevoked} has returned. */
  CompletableFuture<Void> told() {
    return told;
  }

  /** Completes when the lock was given back. */
  CompletableFuture<Void> over() {
    return over;
  }
}
