package io.mortise.internal.engine;

import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.VotingSet;
import org.jspecify.annotations.Nullable;

/**
 * The lease that a request asks for.
 *
 * @param member whether it is for a member of a lock of several, so that it is never handed off
 * @param voters the Redlock in quarantine that the lease is a vote for; null if it is none
 */
public record Wanted(LockKeys keys, LeaseTerms terms, boolean member, @Nullable VotingSet voters) {
  public Wanted(LockKeys keys, LeaseTerms terms) {
    this(keys, terms, false, null);
  }

  public static Wanted ofMember(LockKeys keys, LeaseTerms terms, @Nullable VotingSet voters) {
    return new Wanted(keys, terms, true, voters);
  }
}
