package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import io.mortise.spi.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** How the Redlock sends commands to its servers, and what it logs about them. */
@Rule("L16")
public abstract class MemberServerRules extends ServersFixture {
  private static final Duration LEASE = Duration.ofSeconds(30);

  protected MemberServerRules(RedisKit kit) {
    super(kit);
  }

  // Speed

  @Test
  @Rule("L19")
  void allMembersAreAskedBeforeAnyHasAnswered(Figures figures) {
    IndependentServers servers = servers(NODES);
    List<LockService> services = process(servers, LEASE);
    RedLock lock = red(services, name).withMemberTimeout(Duration.ofSeconds(2));
    for (int i = 0; i < 3; i++) {
      assertTrue(lock.tryLock(), "the lock is free, and the servers know its scripts");
      Await.until("every member has replied", () -> isHeldOnAll(services));
      lock.unlock();
    }
    for (int node = 0; node < NODES; node++) {
      servers.link(node).stall(Direction.REPLIES);
      servers.server(node).resetCounts();
    }
    CompletableFuture<Optional<Lease>> answer = lock.async().tryAcquire();
    for (int node = 0; node < NODES; node++) {
      int of = node;
      Await.until("every server got a command", () -> calls(servers, of) > 0);
    }
    assertFalse(answer.isDone());
    for (int node = 0; node < NODES; node++) {
      servers.link(node).resume();
    }
    answer.join().orElseThrow().close();

    for (int node = 0; node < NODES; node++) {
      servers.delay(node, Duration.ofMillis(2));
    }
    double one = median(services.get(0).getLock(name + "-alone"));
    double five = median(lock);
    figures.add("Redlock of 5, 4 ms away, median µs to lock", "" + Math.round(five));
    figures.add("Redlock of 5, 4 ms away, times the latency of one", "%.2f".formatted(five / one));
  }

  /**
   * Whether every member is held. A release after that waits for all of them, so no connection is
   * busy.
   */
  private boolean isHeldOnAll(List<LockService> services) {
    return services.stream().allMatch(each -> each.getLock(name).isLocked());
  }

  private static long calls(IndependentServers servers, int node) {
    Map<String, Long> counts = servers.server(node).commandCounts();
    return counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
  }

  /** The median time of an uncontended acquisition (µs). */
  private static double median(LeasedLock lock) {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 21; i++) {
      long start = System.nanoTime();
      lock.lock();
      all.add(System.nanoTime() - start);
      lock.unlock();
    }
    Collections.sort(all);
    return all.get(all.size() / 2) / 1e3;
  }

  // Warnings about the members

  @Test
  void membersThatFailTogetherAndNumbersThatDoNotHelpAreWarnedOf() {
    assumeTrue(LogCapture.isPrinted(), "needs slf4j-simple, and warnings to be printed");
    assumeSingleServers();
    IndependentServers servers = servers(NODES);
    List<LockService> all = process(servers, LEASE);
    LockService again =
        service(closing(open(servers.uri(0))), builder -> builder.keyPrefix("again:"));
    try (LogCapture log = LogCapture.start()) {
      lockOnce(red(all, "good"));
      lockOnce(red(List.of(all.get(0), all.get(1), again), "shared"));
      Await.until("the log warns of the shared server", () -> !said(log, "shared").isEmpty());
      assertEquals(List.of(), said(log, "good"));
      assertTrue(said(log, "shared").get(0).contains("2 members are kept by one server"));

      RedLock unused = red(all.subList(0, 2), "two");
      unused = red(all.subList(0, 3), "three");
      unused = red(all.subList(0, 4), "four");
      assertTrue(said(log, "two").get(0).contains("survives the loss of 0"));
      assertEquals(List.of(), said(log, "three"));
      assertTrue(said(log, "four").get(0).contains("survives the loss of 1, as many as one of 3"));
    }
  }

  /** Both members can never be held, and contenders would wait for each other's half. */
  @Test
  void membersThatAreOneLockUnderTwoNamesOfItsServerAreRefused() {
    assumeSingleServers();
    RedisServer server = RedisServer.start();
    closeLast(server);
    LeasedLock[] members =
        Stream.of("127.0.0.1", "localhost")
            .map(host -> URI.create("redis://%s:%d".formatted(host, server.port())))
            .map(uri -> service(closing(open(uri)), builder -> builder).getLock(name))
            .toArray(LeasedLock[]::new);
    RedLock lock = RedLock.of(members).withMemberTimeout(Duration.ofSeconds(5));
    for (Executable call : List.<Executable>of(lock::lock, lock::tryLock, lock::lock)) {
      String message = String.valueOf(assertThrows(IllegalStateException.class, call).getMessage());
      assertTrue(message.contains("are one lock on one server"), message);
    }
    Await.until("all is given back", () -> !((DistributedLock) members[0]).isLocked());
  }

  @Test
  void locksInTwoDatabasesOfOneServerAreTwo() {
    assumeSingleServers();
    RedisServer server = RedisServer.start();
    closeLast(server);
    LeasedLock[] members =
        Stream.of("", "/1", "/2")
            .map(db -> URI.create("redis://127.0.0.1:%d%s".formatted(server.port(), db)))
            .map(uri -> service(closing(open(uri)), builder -> builder).getLock(name))
            .toArray(LeasedLock[]::new);
    lockOnce(RedLock.of(members).withMemberTimeout(Duration.ofSeconds(5)));
  }

  @Test
  void aMemberThatMayBeEvictedIsWarnedOf() {
    assumeTrue(LogCapture.isPrinted(), "needs slf4j-simple, and warnings to be printed");
    IndependentServers servers = servers(3);
    assumeSingleServers();
    servers.server(1).command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    List<LockService> all = process(servers, LEASE);
    try (LogCapture log = LogCapture.start()) {
      lockOnce(red(all, "evicted"));
      Await.until("the log warns", () -> !said(log, "evicted").isEmpty());
      assertEquals(1, said(log, "evicted").size());
      assertTrue(said(log, "evicted").get(0).contains("its maxmemory-policy is allkeys-lru"));
    }
  }

  @Test
  void aMemberWithReplicasIsWarnedOfUnlessThereIsAQuarantine() {
    assumeTrue(LogCapture.isPrinted(), "needs slf4j-simple, and warnings to be printed");
    assumeSingleServers();
    IndependentServers servers = servers(3);
    RedisServer replica = RedisServer.start();
    closeLast(replica);
    RedisServer master = servers.server(1);
    replica.command("REPLICAOF", master.host(), String.valueOf(master.port()));
    Await.until("it follows", () -> info(master).contains("connected_slaves:1"));
    List<LockService> all = process(servers, LEASE);
    try (LogCapture log = LogCapture.start()) {
      RedLock careful = red(all, "careful").withQuarantine(LEASE);
      careful.init();
      lockOnce(careful);
      RedLock replicated = red(all, "replicated");
      lockOnce(replicated);
      lockOnce(replicated);
      Await.until("the log warns", () -> !said(log, "replicated").isEmpty());
      assertEquals(List.of(), said(log, "careful"));
      assertEquals(1, said(log, "replicated").size(), () -> said(log, "replicated").toString());
      String warning = said(log, "replicated").get(0);
      assertTrue(warning.contains("give a vote twice"), warning);
      assertTrue(warning.contains(String.valueOf(servers.uri(1).getPort())), warning);
      assertFalse(warning.contains(String.valueOf(servers.uri(0).getPort())), warning);
    }
  }

  private static String info(RedisServer server) {
    return String.valueOf(server.command("INFO", "replication"));
  }

  /** The members of a sentinel set have warnings of their own. */
  private void assumeSingleServers() {
    Topology topology = backend().info().topology();
    assumeTrue(topology == Topology.SINGLE, () -> "it is a " + topology);
  }

  private static void lockOnce(RedLock lock) {
    assertTrue(lock.tryLock(), lock::toString);
    lock.unlock();
  }

  /** The lines that the log has about that Redlock. */
  private static List<String> said(LogCapture log, String lock) {
    return log.lines("Redlock '" + lock + "'");
  }
}
