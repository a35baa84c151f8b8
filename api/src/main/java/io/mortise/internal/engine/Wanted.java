package io.mortise.internal.engine;

import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.VotingSet;
import org.jspecify.annotations.Nullable;

/**
 * The lease that a request asks for.
 *
 * @param voters the Redlock in quarantine that the lease is a vote for; null if it is none
 */
public record Wanted(LockKeys keys, LeaseTerms terms, @Nullable VotingSet voters) {
  public Wanted(LockKeys keys, LeaseTerms terms) {
    this(keys, terms, null);
  }
}
