package io.mortise.backend.inmemory;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A lock that clients of Redisson share. The test plays one of those clients. */
abstract class SharedWithRedisson implements BackendUnderTest {
  static final String NAME = "orders:42";
  static final String CHANNEL = "redisson_lock__channel:{orders:42}";

  final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockBackend redisson = store.backend();
  private final List<LockService> services = new ArrayList<>();
  final DistributedLock holder = lock();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    services.forEach(LockService::close);
    redisson.close();
  }

  DistributedLock lock() {
    return lock(store.backend());
  }

  DistributedLock lock(LockBackend backend) {
    LockService service =
        LockService.builder().backend(backend).redissonInterop(true).executor(Runnable::run).open();
    services.add(service);
    return service.getLock(NAME);
  }

  Subscription redissonListens() {
    return redisson.subscribe(
        CHANNEL,
        new ChannelListener() {
          @Override
          public void onSubscribed() {}

          @Override
          public void onMessage(String message) {}

          @Override
          public void onInterrupted(Throwable cause) {}
        });
  }

  void run(String key, String script) {
    List<Object> unused =
        redisson.execute(
            new ScriptCall(
                Script.of("test", script), List.of(key), List.of(), Duration.ofSeconds(1)));
  }

  void redissonLocks() {
    run(
        NAME,
        "redis.call('HSET', KEYS[1], 'u:1', 1) return {redis.call('PEXPIRE', KEYS[1], 30000)}");
  }

  void redissonUnlocks() {
    run(
        NAME,
        "redis.call('DEL', KEYS[1]) return {redis.call('PUBLISH', 'redisson_lock__channel:{orders:42}', '0')}");
  }
}
