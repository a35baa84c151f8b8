package io.mortise.cli;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Services of Mortise and clients of Redisson on one site, and a unique lock name. */
abstract class RedissonFixture implements BackendUnderTest {
  static final Duration LEASE = Duration.ofSeconds(30);
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Site site;
  private final String provider;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  final String name = "orders:" + NAMES.incrementAndGet();

  RedissonFixture(Site site, String provider) {
    this.site = site;
    this.provider = provider;
  }

  @Override
  public String backendName() {
    String where = site == Site.SINGLE ? "" : "-" + site.name().toLowerCase(Locale.ROOT);
    return "redisson-and-" + provider + where;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  /** The master that has the lock of this test. */
  RedisServer server() {
    return site.server(name);
  }

  Site site() {
    return site;
  }

  String provider() {
    return provider;
  }

  /** A service that shares nothing. */
  LockService ownService() {
    return closing(LockService.builder().uri(site.uri().toString()).provider(provider).open());
  }

  /** A service that shares its locks with Redisson. */
  LockService service(Duration lease) {
    return closing(shared(site.uri(), provider, lease));
  }

  static LockService shared(URI uri, String provider, Duration lease) {
    return LockService.builder()
        .uri(uri.toString())
        .provider(provider)
        .leaseTime(lease)
        .redissonInterop(true)
        .open();
  }

  <T extends AutoCloseable> T closing(T opened) {
    open.addFirst(opened);
    return opened;
  }

  DistributedLock ours() {
    return service(LEASE).getLock(name);
  }

  RedissonClient redisson(Duration lease) {
    RedissonClient client = Site.client(site.uri(), lease);
    open.addFirst(() -> client.shutdown(0, 5, TimeUnit.SECONDS));
    return client;
  }

  RLock theirs() {
    return redisson(LEASE).getLock(name);
  }

  /** Waits until the lock's channel has that many subscribers. */
  void awaitListeners(String lock, long count) {
    Await.until(
        count + " listen on the channel of " + lock, () -> site.listeners(lock).equals(count));
  }

  /**
   * Starts a thread that waits for the lock. Returns after the last command before the thread
   * parks: both libraries try, subscribe, and try again.
   */
  CompletableFuture<Boolean> waiting(String lock, Runnable task) {
    RedisServer server = site.server(lock);
    server.resetCounts();
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              task.run();
              return true;
            },
            command -> new Thread(command, "waiting").start());
    awaitListeners(lock, 1);
    Await.until(
        "it has tried twice", () -> server.commandCounts().getOrDefault("evalsha", 0L) >= 2);
    return waiting;
  }
}
