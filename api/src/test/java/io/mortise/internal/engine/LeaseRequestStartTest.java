package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lease request can be found by its id before it has begun. */
@Tag("L10")
@Tag("L15")
class LeaseRequestStartTest {
  private static final int CLAIMS = 20; // more than the batches in flight

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

  /** Wakes each acquisition as soon as it can be found, as a reconnect at that moment does. */
  @SuppressWarnings("serial") // never written
  private static final class WakingMap extends ConcurrentHashMap<String, Acquisition> {
    @Override
    public @Nullable Acquisition put(String id, Acquisition acquisition) {
      @Nullable Acquisition before = super.put(id, acquisition);
      acquisition.signal();
      return before;
    }
  }

  @Test
  void aMessageThatComesWhileItIsMadeDoesNotSpoilIt() throws Exception {
    Engine engine =
        new Engine(
            ClientId.create(),
            new FreeStore(),
            GateFixture.settings(ServiceOptions.NO_LIMIT, Duration.ZERO),
            new LeaseEvents(List.of(), Runnable::run));
    Field acquisitions = Acquisitions.class.getDeclaredField("byId");
    acquisitions.setAccessible(true);
    acquisitions.set(engine.acquisitions(), new WakingMap());
    DistributedLock lock = Handles.of(engine, LockKeys.of("mortise:", "x"));
    for (int i = 0; i < CLAIMS; i++) {
      lock.async().acquire().get(20, TimeUnit.SECONDS).releaseAsync().get(20, TimeUnit.SECONDS);
      lock.acquire().close();
    }
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }
}
