package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/**
 * Shared parts of the tests with faults: a cluster for each class, which every test leaves healthy,
 * and services on it. Without a redis-server on the {@code PATH} the tests are skipped.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ClusterTests implements BackendUnderTest {
  static final Duration LEASE = Duration.ofSeconds(6);
  static final Duration NODE_TIMEOUT = Duration.ofSeconds(3);

  /** Three times the node timeout and 6 s, as the docs advise, and more for a busy machine. */
  static final Duration LEASE_OVER_FAILOVER = Duration.ofSeconds(25);

  static final Duration LONG = Duration.ofSeconds(60);

  RedisCluster cluster;
  String name = "";
  private final List<AutoCloseable> opened = new ArrayList<>();

  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name() + "-cluster";
  }

  @BeforeAll
  void startCluster() {
    cluster = RedisCluster.start(NODE_TIMEOUT);
  }

  @AfterAll
  void endCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void newName() {
    name = "fault-" + UUID.randomUUID();
  }

  @AfterEach
  void closeServices() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
    cluster.nodes().stream().filter(node -> !node.isRunning()).forEach(RedisServer::restart);
    cluster.awaitHealthy();
  }

  final LockBackend backend() {
    return backend(cluster.uri());
  }

  final LockBackend backend(URI uri) {
    Duration timeout = Duration.ofSeconds(2);
    LockBackend backend = provider().open(new BackendConfig(uri, timeout, "mortise-kit", Map.of()));
    opened.add(backend);
    return backend;
  }

  final LockService service() {
    return service(LEASE);
  }

  final LockService service(Duration lease) {
    return service(backend(), builder -> builder.leaseTime(lease));
  }

  final LockService service(UnaryOperator<LockService.Builder> options) {
    return service(backend(), options);
  }

  final LockService service(LockBackend backend) {
    return service(backend, builder -> builder.leaseTime(LEASE));
  }

  private LockService service(LockBackend backend, UnaryOperator<LockService.Builder> options) {
    LockService service = options.apply(LockService.builder().sharedBackend(backend)).open();
    opened.add(0, service);
    return service;
  }

  /** A thread that waits for the lock of the test, notes that it has it, and releases it. */
  final Crew entering(LockService by, AtomicBoolean inside) {
    return Crew.start(
        ThreadKind.PLATFORM,
        1,
        number -> {
          DistributedLock lock = by.getLock(name);
          assertTrue(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS));
          inside.set(true);
          lock.unlock();
        });
  }

  /** Adds to a field of a hash, one field for each call, so that each call's runs are counted. */
  static ScriptCall counted(String key, String field, Duration timeout) {
    Script script = Script.of("counted", "return {redis.call('HINCRBY', KEYS[1], ARGV[1], 1)}");
    return new ScriptCall(script, List.of(key), List.of(field), timeout);
  }

  static boolean runs(LockBackend backend, ScriptCall call) {
    try {
      backend.execute(call);
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  /** How many scripts the server has run. */
  static long scripts(RedisServer on) {
    Map<String, Long> counts = on.commandCounts();
    return counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
  }
}
