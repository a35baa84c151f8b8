package io.mortise.cli;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Services of Mortise and clients of Redisson on one server, and a unique lock name. */
abstract class RedissonFixture implements BackendUnderTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  static final Duration LEASE = Duration.ofSeconds(30);
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final String provider;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  final String name = "orders:" + NAMES.incrementAndGet();

  RedissonFixture(String provider) {
    this.provider = provider;
  }

  @Override
  public String backendName() {
    return "redisson-and-" + provider;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  static RedisServer server() {
    return REDIS.server();
  }

  String provider() {
    return provider;
  }

  /** A service that shares its locks with Redisson. */
  LockService service(Duration lease) {
    return closing(shared(server().uri(), provider, lease));
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
    RedissonClient client = client(server().uri(), lease);
    open.addFirst(() -> client.shutdown(0, 5, TimeUnit.SECONDS));
    return client;
  }

  /** A client whose watchdog has this lease. */
  static RedissonClient client(URI uri, Duration lease) {
    Config config = new Config();
    config.setLockWatchdogTimeout(lease.toMillis());
    config
        .useSingleServer()
        .setAddress(uri.toString())
        .setConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionMinimumIdleSize(1);
    return Redisson.create(config);
  }

  RLock theirs() {
    return redisson(LEASE).getLock(name);
  }

  /** Waits until the lock's channel has that many subscribers. */
  static void awaitListeners(String lock, long count) {
    Await.until(count + " listen on the channel of " + lock, () -> listeners(lock).equals(count));
  }

  private static Object listeners(String lock) {
    String channel = "redisson_lock__channel:" + (lock.indexOf('{') < 0 ? '{' + lock + '}' : lock);
    Object reply = server().command("PUBSUB", "NUMSUB", channel);
    return reply instanceof List<?> numbers ? numbers.get(1) : List.of();
  }

  /**
   * Starts a thread that waits for the lock. Returns after the last command before the thread
   * parks: both libraries try, subscribe, and try again.
   */
  static CompletableFuture<Boolean> waiting(String lock, Runnable task) {
    server().resetCounts();
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              task.run();
              return true;
            },
            command -> new Thread(command, "waiting").start());
    awaitListeners(lock, 1);
    Await.until(
        "it has tried twice", () -> server().commandCounts().getOrDefault("evalsha", 0L) >= 2);
    return waiting;
  }
}
