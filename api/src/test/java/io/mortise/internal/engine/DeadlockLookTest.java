package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A look for deadlocks that fails. No lease depends on it. */
@Tag("L8")
@Tag("L30")
class DeadlockLookTest extends GateFixture {
  private final LeaseEvents events = new LeaseEvents(listeners, Runnable::run);

  @Test
  void leasesAreRenewedThoughTheLookFails() {
    Acquisition held = holds(a);
    engine.keeper().close();
    LeaseKeeper keeper =
        new LeaseKeeper(engine.store(), engine.acquisitions(), events, DeadlockLookTest::fail);

    keeper.watch(held);
    time.advance(LEASE.dividedBy(3));

    assertEquals(held.id(), store.next("renew").renewed().id());
    keeper.close();
  }

  private static void fail() {
    throw new IllegalStateException("a look");
  }

  @Test
  void aLookThatFailsIsLoggedOnce() {
    long now = engine.store().now();
    LeaseTerms lease = engine.store().defaultLease();
    Acquisition held = engine.acquisitions().create(new Asks(), new Fails(), 1, lease, true);
    assertEquals(Acquisition.Taking.HELD, held.take(lease, now, now, engine.store().longestHold()));
    Deadlocks deadlocks = new Deadlocks(engine.store(), engine.acquisitions(), events);
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      for (int i = 0; i < 3; i++) {
        time.advance(Duration.ofSeconds(3));
        deadlocks.look();
      }
    } finally {
      System.setErr(before);
    }

    String text = log.toString(StandardCharsets.UTF_8);
    assertEquals(1, text.split("a look for deadlocks failed", -1).length - 1, text);
    assertTrue(text.contains("a holder"), text);
  }

  private final class Asks implements Acquisition.Asker {
    @Override
    public LockKeys keys() {
      return keys;
    }

    @Override
    public void wake() {}

    @Override
    public void granted(Acquisition granted, long sentAt) {}
  }

  private static final class Fails implements Acquisition.Grant {
    @Override
    public List<Holder> holders(Acquisition held) {
      throw new IllegalStateException("a holder");
    }

    @Override
    public boolean lose(Acquisition held, Loss why) {
      return false;
    }
  }
}
