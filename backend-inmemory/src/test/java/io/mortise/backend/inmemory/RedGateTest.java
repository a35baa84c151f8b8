package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.backend.inmemory.SimulatedNode.Fault;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A waiter stands in the queues of the busy gates. If all of them die, no message wakes it. Time is
 * moved by one thread.
 */
@Tag("ci")
class RedGateTest implements BackendUnderTest {
  private static final String LOCK = "red";
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** The waiter has lost its quick rounds by then, and waits. */
  private static final Duration WAITS = Duration.ofMillis(400);

  /** One member timeout, and some rounds. A wait takes at least 2.5 s. */
  private static final Duration LOOKS = Duration.ofMillis(1_500);

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final List<LockBackend> clients = new ArrayList<>();
  private final List<LockService> services = new ArrayList<>();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    services.forEach(LockService::close);
    clients.forEach(LockBackend::close);
    nodes.forEach(SimulatedNode::close);
  }

  @Test
  @Rule("L16")
  void twoBusyGatesOfThreeDie() {
    aWaiterComesInWhen(5, List.of(0, 1), 3);
  }

  @Test
  @Rule("L16")
  void theBusyGateOfTwoDies() {
    aWaiterComesInWhen(3, List.of(0), 2);
  }

  /** Another client has these gates and one member behind them. The gates die, and it leaves. */
  private void aWaiterComesInWhen(int members, List<Integer> gates, int behind) {
    RedLock lock = lock(members);
    gates.forEach(each -> nodes.get(each).keep(LOCK));
    nodes.get(behind).keep(LOCK);
    CompletableFuture<Lease> waiter = lock.async().acquire();
    store.advance(WAITS);
    assertFalse(waiter.isDone(), "it has a majority");
    gates.forEach(each -> nodes.get(each).fail(Fault.DOWN));
    nodes.get(behind).giveBackKept();
    store.advance(LOOKS);
    assertTrue(waiter.isDone(), "it waits, and a majority is free");
    gates.forEach(each -> nodes.get(each).recover());
    CompletableFuture<Void> unused = waiter.join().releaseAsync();
  }

  private RedLock lock(int members) {
    for (int i = 0; i < members; i++) {
      nodes.add(new SimulatedNode(store, i, i));
      clients.add(nodes.get(i).client());
      services.add(nodes.get(i).service(clients.get(i), LEASE));
    }
    return RedLock.of(services.stream().map(each -> each.getLock(LOCK)).toArray(LeasedLock[]::new));
  }
}
