package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.told.NotedEvents;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lease request whose backend throws an error, as a client does that lacks a class. */
@Tag("L23")
class LeaseRequestErrorTest {
  private static final class BrokenBackend implements LockBackend {
    private final Error error = new NoClassDefFoundError("on purpose");
    private int timers = Integer.MAX_VALUE;

    @Override
    public List<Object> execute(ScriptCall call) {
      throw error;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return CompletableFuture.completedFuture(List.of("ABSENT"));
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      return () -> {};
    }

    @Override
    public BackendInfo info() {
      return new BackendInfo("broken", "7.0.0", true, true);
    }

    /** So many timers can be set. */
    @Override
    public TimeSource time() {
      return new ForwardingTime() {
        @Override
        protected TimeSource target() {
          return TimeSource.system();
        }

        @Override
        public Timer schedule(Runnable task, Duration delay) {
          if (timers-- <= 0) {
            throw error;
          }
          return super.schedule(task, delay);
        }
      };
    }

    @Override
    public void close() {}
  }

  private final BrokenBackend backend = new BrokenBackend();
  private final NotedEvents told = new NotedEvents();
  private final Engine engine =
      new Engine(
          ClientId.create(),
          backend,
          GateFixture.settings(ServiceOptions.NO_LIMIT, Duration.ZERO),
          new LeaseEvents(List.of(told), Runnable::run));
  private final DistributedLock lock = Handles.of(engine, LockKeys.of("mortise:", "x"));

  @Test
  void theErrorIsThrownAndToldAsAFailure() {
    Error thrown = assertThrows(NoClassDefFoundError.class, lock::acquire);

    assertSame(backend.error, thrown);
    assertEquals(List.of(List.of("FAILED")), told.rows());
    assertSame(backend.error, told.failure());
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }

  /** That of all requests, or that of its own limit. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aRequestWithoutATimerIsOver(int timers) {
    backend.timers = timers;

    Error thrown =
        assertThrows(
            NoClassDefFoundError.class, () -> lock.async().tryAcquire(Duration.ofSeconds(5)));

    assertSame(backend.error, thrown);
    assertEquals(List.of(List.of("FAILED")), told.rows());
    assertEquals(List.of(), List.copyOf(engine.requests().all()));
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }
}
