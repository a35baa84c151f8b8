package io.mortise.conformance.lock;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.fault.FailoverRules;
import io.mortise.conformance.lock.fault.FencedFailoverRules;
import io.mortise.conformance.lock.redlock.SentinelMemberRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of locks on a backend for Redis while sentinels replace the master. Extend it beside
 * the other classes of a {@link SentinelKit}.
 */
public abstract class SentinelFaultConformance implements SentinelKit {
  /** For the subclass that the author of a backend writes. */
  protected SentinelFaultConformance() {}

  @Nested
  class Failovers extends FailoverRules {
    Failovers() {
      super(SentinelFaultConformance.this);
    }
  }

  @Nested
  class FencedFailovers extends FencedFailoverRules {
    FencedFailovers() {
      super(SentinelFaultConformance.this);
    }
  }

  @Nested
  class RedSentinels extends SentinelMemberRules {
    RedSentinels() {
      super(SentinelFaultConformance.this);
    }
  }
}
