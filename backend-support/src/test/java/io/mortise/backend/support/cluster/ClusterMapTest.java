package io.mortise.backend.support.cluster;

import static io.mortise.backend.support.cluster.StubCluster.A;
import static io.mortise.backend.support.cluster.StubCluster.B;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.BrokenPool;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A map of a cluster while no thread can be made, or a node cannot be reached. */
class ClusterMapTest {
  private final StubCluster cluster = new StubCluster();
  private final ClusterMap map = new ClusterMap(cluster, List.of(A), Duration.ofSeconds(2));

  @AfterEach
  void close() {
    map.close();
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > Duration.ofSeconds(20).toNanos();
      assertTrue(!late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  @DisplayName("B22: a node for whose opening no thread can be made is opened by a later call")
  void noThreadForANode() throws Exception {
    try (BrokenPool broken = new BrokenPool(map, "workers")) {
      await("its threads have ended", () -> broken.size() == 0);
      assertTrue(map.node("here:3").isCompletedExceptionally());
    }
    assertEquals("here:3", map.node("here:3").join().toString());
  }

  @Test
  @DisplayName("B22: a reading for which no thread can be made does not end all readings")
  void noThreadForAReading() throws Exception {
    try (BrokenPool broken = new BrokenPool(map, "reader")) {
      await("it has no thread", () -> broken.size() == 0);
      map.refresh(null, null);
    }
    cluster.masterOfAll = B;
    map.refresh(null, null);
    await("the table is read", () -> B.equals(map.table().owner(1)));
  }

  @Test
  @DisplayName("B23: a redirection to a node that cannot be reached does not delay a reading")
  void anUnreachableNode() {
    CountDownLatch gate = new CountDownLatch(1);
    cluster.gates.put("far:9", gate);
    try (ClusterMap patient = new ClusterMap(cluster, List.of(A), Duration.ofSeconds(60))) {
      cluster.masterOfAll = B;
      patient.refresh("far:9", null);
      await("the table is read", () -> B.equals(patient.table().owner(1)));
      gate.countDown();
    }
  }
}
