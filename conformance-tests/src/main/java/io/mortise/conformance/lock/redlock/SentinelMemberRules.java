package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.Rule;
import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Redlocks with members in sentinel sets: a set has one vote. */
@Rule({"L16", "L18"})
public abstract class SentinelMemberRules extends LockRules {
  private final RedisSentinels set = RedisSentinels.shared();
  private final SentinelKit kit;

  protected SentinelMemberRules(SentinelKit kit) {
    super(kit);
    this.kit = kit;
  }

  private DistributedLock member(URI uri, String prefix) {
    BackendConfig config = new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", Map.of());
    LockService service =
        service(closing(kit.provider().open(config)), builder -> builder.keyPrefix(prefix));
    return service.getLock(name);
  }

  private static void assertNamesBoth(RuntimeException refusal, URI one, URI other) {
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains(one.getAuthority()), message);
    assertTrue(message.contains(other.getAuthority()), message);
    assertTrue(message.contains("of its own"), message);
  }

  @Test
  void twoMembersByOneUriAreRefused() {
    DistributedLock one = member(set.uri(), "one:");
    DistributedLock two = member(set.uri(), "two:");
    RuntimeException refusal =
        assertThrows(IllegalArgumentException.class, () -> RedLock.of(one, two));
    assertTrue(String.valueOf(refusal.getMessage()).contains("one:"), refusal::toString);
    assertTrue(String.valueOf(refusal.getMessage()).contains("two:"), refusal::toString);
  }

  @Test
  void twoMembersByOtherSentinelsAreRefused() {
    assertRefused(set.uri("", 0), set.uri("", 1));
  }

  @Test
  void theMasterOfASetIsNoSecondMember() {
    assertRefused(set.uri(), set.master().uri());
  }

  private void assertRefused(URI one, URI other) {
    DistributedLock mine = member(one, "one:");
    DistributedLock theirs = member(other, "two:");
    RedLock red = RedLock.of(mine, theirs);
    Await.until("what the servers say has come", () -> isRefused(red));
    for (int i = 0; i < 2; i++) {
      assertNamesBoth(assertThrows(IllegalStateException.class, red::tryLock), one, other);
      assertThrows(RuntimeException.class, () -> red.async().acquire().join());
    }
    Await.until("nothing is locked", () -> !mine.isLocked() && !theirs.isLocked());
  }

  /** An attempt before that has both members, which have different prefixes. */
  private static boolean isRefused(RedLock red) {
    try {
      if (red.tryLock()) {
        red.unlock();
      }
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }
}
