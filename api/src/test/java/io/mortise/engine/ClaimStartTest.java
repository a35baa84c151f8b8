package io.mortise.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A claim can be found by its id before it has begun. */
@Tag("L10")
@Tag("L15")
class ClaimStartTest {
  private static final int CLAIMS = 100_000;

  /** A store whose locks are always free. */
  private static final class FreeStore implements LockBackend {
    @Override
    public List<Object> execute(ScriptCall call) {
      return List.of(1L);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return CompletableFuture.completedFuture(execute(call));
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      return () -> {};
    }

    @Override
    public BackendInfo info() {
      return new BackendInfo("free", "7.0.0", true, true);
    }

    @Override
    public void close() {}
  }

  @Test
  void messagesThatComeWhileItBeginsDoNotSpoilIt() throws Exception {
    Duration timeout = Duration.ofSeconds(2);
    QueueTimes times = QueueTimes.standard(timeout);
    Engine engine =
        new Engine(
            ClientId.create(),
            new FreeStore(),
            new Settings(
                GateFixture.LEASE, null, timeout, "mortise:", 64, false, false, false, times),
            new Events(null, Runnable::run));
    EngineLock lock = new EngineLock(engine, LockKeys.of("mortise:", "x"), engine.defaultLease());
    Thread reconnects = new Thread(() -> reconnect(engine));
    reconnects.setDaemon(true);
    reconnects.start();
    for (int i = 0; i < CLAIMS; i++) {
      lock.async().acquire().get(20, TimeUnit.SECONDS).releaseAsync().get(20, TimeUnit.SECONDS);
    }
    assertTrue(engine.close());
    reconnects.join();
    assertEquals(List.of(), List.copyOf(engine.acquisitions()));
  }

  private static void reconnect(Engine engine) {
    while (!engine.isClosed()) {
      engine.mailbox().onSubscribed();
    }
  }
}
