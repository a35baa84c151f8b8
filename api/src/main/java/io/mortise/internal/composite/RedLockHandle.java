package io.mortise.internal.composite;

import io.mortise.FencedRedLock;
import io.mortise.LeasedLock;
import io.mortise.RedLock;

/** A Redlock without fencing tokens, as the application has it. Thread-safe. */
public final class RedLockHandle extends QuorumLock<RedLockHandle> {
  private RedLockHandle(QuorumMembers members) {
    super(members);
  }

  private RedLockHandle(RedLockHandle other, QuorumMembers members) {
    super(other, members);
  }

  public static RedLock of(LeasedLock... locks) {
    return new RedLockHandle(QuorumMembers.of(locks));
  }

  @Override
  RedLockHandle with(QuorumMembers other) {
    return new RedLockHandle(this, other);
  }

  @Override
  public FencedRedLock fenced() {
    return FencedRedLockHandle.of(this);
  }
}
