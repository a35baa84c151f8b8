package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Services that own their client leave no connection behind, also when the server is gone. */
@Rule("L15")
public abstract class ServerLeakRules extends LockRules {
  private static final Duration SECONDS = Duration.ofSeconds(8);

  private final RedisKit kit;
  private final RedisServer server = RedisServer.start();

  protected ServerLeakRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void closeServer() {
    closeLast(server);
  }

  private LockService open(URI uri) {
    LockService service = LockService.open(kit.reached(uri).toString(), kit.provider().name());
    closeLater(service);
    return service;
  }

  /** All connections except the one that asks. */
  private long connections() {
    return String.valueOf(server.command("CLIENT", "LIST")).lines().count() - 1;
  }

  @Test
  void aClosedServiceLeavesNoConnectionAndNoSubscription() throws InterruptedException {
    LockService one = open(server.uri());
    LockService other = open(server.uri());
    List<LockService> services = List.of(one, other);
    Crew.run(
        8,
        number -> {
          DistributedLock lock = services.get(number % 2).getLock(name);
          for (int i = 0; i < 50; i++) {
            lock.lock();
            lock.unlock();
          }
        });
    assertTrue(connections() >= 4, "each service has two connections");

    one.close();
    other.close();

    Await.until(() -> connections() + " connections are left", SECONDS, () -> connections() == 0);
    assertEquals(List.of(), server.command("PUBSUB", "CHANNELS", "*"));
  }

  @Test
  void aServiceClosesTheBackendThatWasMadeForIt() {
    for (int round = 0; round < 3; round++) {
      try (LockService service = LockService.of(kit.open(server.uri()))) {
        DistributedLock lock = service.getLock(name);
        lock.lock();
        lock.unlock();
      }
    }

    Await.until(() -> connections() + " connections are left", SECONDS, () -> connections() == 0);
  }

  /** The service holds a lock, waits for another and executes a command. Then the link breaks. */
  private void closeDuring(Runnable outage, TcpProxy proxy) {
    DistributedLock elsewhere = open(server.uri()).getLock(name);
    elsewhere.lock();
    LockService closing = open(proxy.uri());
    closing.getLock(name + "-held").lock();
    DistributedLock contended = closing.getLock(name);
    Contender waiter = contender(() -> contended.tryLock(1, TimeUnit.HOURS));
    Await.until(
        "the waiter is in the queue", () -> server.sizeOf("mortise:queue:{" + name + '}') == 1);
    outage.run();
    DistributedLock free = closing.getLock(name + "-free");
    Contender asking = Contender.startBusy(() -> free.tryLock(1, TimeUnit.HOURS));

    long start = System.nanoTime();
    closing.close();
    closing.close();
    assertInstanceOf(LockServiceClosedException.class, waiter.failure());
    assertInstanceOf(RuntimeException.class, asking.failure(), "closed, or of unknown outcome");

    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(SECONDS) < 0, "it took " + took);
    elsewhere.unlock();
  }

  @Test
  @Rule("L4")
  void aServiceCanBeClosedWhileItsLinkIsDown() {
    TcpProxy proxy = TcpProxy.to(server);
    closeLast(proxy);
    closeDuring(
        () -> {
          proxy.refuse();
          proxy.cut();
        },
        proxy);
  }

  @Test
  @Rule("L4")
  void aServiceCanBeClosedWhileItsLinkHangs() {
    TcpProxy proxy = TcpProxy.to(server);
    closeLast(proxy);
    closeDuring(proxy::stall, proxy);
  }
}
