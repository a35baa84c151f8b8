package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The guard against a process that stands still and does not know it. */
public abstract class GuardProcessRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final RedisKit kit;

  protected GuardProcessRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @Test
  @Rule({"L1", "L7", "L13"})
  void aProcessFrozenBeyondItsLeaseWritesNothingGuardedWhenItThaws() throws Exception {
    LockBackend backend = backend();
    KeyGuard guard = KeyGuard.of(backend);
    FencedLock mine = service().getFencedLock(name);
    try (RemoteLock remote =
        RemoteLock.start(GuardedWriter.class, kit, name, LEASE, RemoteLock.PLAIN)) {
      assertEquals("write", remote.ask("write"));
      remote.freeze();
      assertTrue(mine.tryLock(15, TimeUnit.SECONDS), "the frozen process's lease ends");
      guard.set(name + GuardedWriter.GUARDED, "mine", mine.fencingToken());
      GuardedWriter.set(backend, name + GuardedWriter.BARE, "mine");

      remote.tell("write"); // before it knows of the loss
      remote.tell("write-bare");
      remote.thaw();

      assertEquals("StaleTokenException", remote.answer());
      assertEquals("write-bare", remote.answer());
      String get = "return {redis.call('GET', KEYS[1])}";
      assertEquals(List.<Object>of("mine"), runOn(name + GuardedWriter.GUARDED, get));
      assertEquals(List.<Object>of("theirs"), runOn(name + GuardedWriter.BARE, get));
      assertEquals("LeaseLostException", remote.ask("unlock"));
    }
    mine.unlock();
  }
}
