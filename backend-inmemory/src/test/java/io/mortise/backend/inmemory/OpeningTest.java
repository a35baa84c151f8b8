package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LockService;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Topology;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check of a store when a service opens, in a JVM whose first calls are late. */
class OpeningTest {
  /** Calls fail until one is made that comes after the first batch, or after the first call. */
  private static final class Slow extends ForwardingBackend {
    private final LockBackend backend = InMemoryStore.create().backend();
    private final Topology topology;
    private final Throwable cause;
    private boolean warm;

    Slow(Topology topology, Throwable cause) {
      this.topology = topology;
      this.cause = cause;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public BackendInfo info() {
      return new BackendInfo("here", "7.0", true, topology != Topology.CLUSTER, topology, null);
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      if (warm) {
        return backend.execute(call);
      }
      warm = true;
      throw late();
    }

    @Override
    public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
      boolean cold = !warm;
      warm = true;
      return cold
          ? calls.stream()
              .map(call -> CompletableFuture.<List<Object>>failedFuture(late()))
              .toList()
          : backend.executeAll(calls);
    }

    private BackendException late() {
      return new BackendException(Outcome.NOT_EXECUTED, "here: check was not sent", cause);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLateCheckIsMadeOnceMore(Topology topology) {
    Exception late = new IllegalStateException("it waited", new TimeoutException());
    try (LockService service = LockService.builder().backend(new Slow(topology, late)).open()) {
      assertTrue(service.getLock("stock").tryLock());
      service.getLock("stock").unlock();
    }
  }

  @Test
  void aCheckThatFailedForAnotherReasonIsNot() {
    Slow down = new Slow(Topology.CLUSTER, new IllegalStateException("connection refused"));

    assertThrows(
        BackendUnavailableException.class, () -> LockService.builder().backend(down).open());
  }
}
