package io.mortise.backend.inmemory;

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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An attempt with a time limit is late by at most the timeout of one member, in whatever state the
 * members are, and whichever of them fails just before or after that limit. The states are tried
 * one by one, with moved time and one thread.
 */
@Tag("ci")
class RedDeadlineTest implements BackendUnderTest {
  private static final int NODES = 3;
  private static final Duration STEP = Duration.ofMillis(5);
  private static final Duration PATIENCE = Duration.ofMillis(100);
  private static final Duration LATEST =
      PATIENCE.plus(RedSimulation.MEMBER_TIMEOUT).plus(Duration.ofMillis(1));

  private static final Duration GIVES_UP = Duration.ofSeconds(2);

  /** What a node may be like; without a fault, another client has the lock there. */
  private static final List<Fault> STATES = List.of(Fault.values());

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final List<LockBackend> clients = new ArrayList<>();
  private final List<LockService> services = new ArrayList<>();
  private int attempts;

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @BeforeEach
  void open() {
    for (int i = 0; i < NODES; i++) {
      nodes.add(new SimulatedNode(store, i, i));
      clients.add(nodes.get(i).client());
      services.add(nodes.get(i).service(clients.get(i), RedSimulation.LEASE));
    }
  }

  @AfterEach
  void close() {
    services.forEach(LockService::close);
    clients.forEach(LockBackend::close);
    nodes.forEach(SimulatedNode::close);
  }

  @Test
  @Rule({"L15", "L16"})
  void anAttemptIsLateByOneMemberTimeoutAtMost() {
    for (int states = 0; states < Math.pow(STATES.size(), NODES); states++) {
      for (int changing = 0; changing < NODES; changing++) {
        for (Fault next : STATES) {
          attempt(new Course(states, changing, next, PATIENCE.minusMillis(1)));
          attempt(new Course(states, changing, next, PATIENCE.plusMillis(1)));
        }
      }
    }
  }

  /** The nodes begin in some states, and one of them is in another state from some time on. */
  private record Course(int states, int changing, Fault next, Duration at) {
    Fault first(int node) {
      return STATES.get(states / (int) Math.pow(STATES.size(), node) % STATES.size());
    }

    List<Fault> first() {
      return List.of(first(0), first(1), first(2));
    }

    @Override
    public String toString() {
      return "nodes %s, number %d is %s after %s".formatted(first(), changing, next, at);
    }
  }

  private void attempt(Course course) {
    String name = "red" + attempts++;
    for (int i = 0; i < NODES; i++) {
      nodes.get(i).keep(name);
      nodes.get(i).fail(course.first(i));
    }
    CompletableFuture<Optional<Lease>> attempt =
        RedLock.of(services.stream().map(each -> each.getLock(name)).toArray(LeasedLock[]::new))
            .async()
            .tryAcquire(PATIENCE);
    Duration passed = Duration.ZERO;
    while (!attempt.isDone() && passed.compareTo(GIVES_UP) < 0) {
      Duration step = step(passed, course.at());
      store.advance(step);
      passed = passed.plus(step);
      if (passed.equals(course.at())) {
        nodes.get(course.changing()).fail(course.next());
      }
    }
    assertTrue(
        attempt.isDone() && passed.minus(STEP).compareTo(LATEST) <= 0,
        "ended after %s, with a time limit of %s: %s".formatted(passed, PATIENCE, course));
    nodes.forEach(SimulatedNode::recover);
    nodes.forEach(SimulatedNode::giveBackKept);
    store.advance(RedSimulation.LEASE);
  }

  private static Duration step(Duration passed, Duration change) {
    Duration before = change.minus(passed);
    return before.isNegative() || before.isZero() || before.compareTo(STEP) > 0 ? STEP : before;
  }
}
