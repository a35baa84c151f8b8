package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.opentest4j.AssertionFailedError;

/** Calls that would wait on a thread that brings their replies, or that connects again. */
@Tag("ci")
final class EventLoopTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final AtomicInteger sent = new AtomicInteger();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.addFirst(resource);
    return resource;
  }

  private ClientResources resources() {
    ClientResources resources = ClientResources.builder().ioThreadPoolSize(3).build();
    closing(
        () -> resources.shutdown(0, 2, TimeUnit.SECONDS).get(LONG.toSeconds(), TimeUnit.SECONDS));
    return resources;
  }

  private RedisClient client(ClientResources resources) {
    RedisClient client = RedisClient.create(resources);
    return closing(client);
  }

  /** Counts the calls, so that a test sees whether a refused method has sent one. */
  private LockService service(LockBackend backend) {
    LockBackend counting =
        new ForwardingBackend() {
          @Override
          protected LockBackend target() {
            return backend;
          }

          @Override
          public List<Object> execute(ScriptCall call) {
            time().checkMayPark();
            sent.incrementAndGet();
            return super.execute(call);
          }

          @Override
          public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
            sent.incrementAndGet();
            return super.executeAsync(call);
          }
        };
    return closing(LockService.builder().backend(counting).open());
  }

  /** The I/O thread of a new connection of the client, each time the next of its threads. */
  private static Executor loop(RedisClient client, RedisURI uri) {
    var connection = client.connect(uri);
    return task -> {
      CompletableFuture<?> unused =
          connection.async().blpop(0.1, "none").toCompletableFuture().thenRun(task);
    };
  }

  @Test
  @DisplayName("L18: the threads of an application's client refuse to wait")
  void threadsOfAGivenClient() throws Exception {
    RedisServer server = closing(RedisServer.start());
    RedisURI uri = RedisURI.create(server.uri());
    ClientResources resources = resources();
    RedisClient client = client(resources);
    LockService service = service(LettuceBackend.of(client, uri));

    for (int i = 0; i < 3; i++) { // one of them is not that of the backend's connections
      refused(loop(client, uri), service);
    }
    refused(resources.eventExecutorGroup(), service);
  }

  @Test
  @DisplayName("L18: the threads of a cluster client refuse to wait")
  void threadsOfAClusterClient() throws Exception {
    RedisCluster set = RedisCluster.shared();
    RedisServer seed = set.owner(set.slot("none"));
    RedisURI uri = RedisURI.create(seed.host(), seed.port());
    ClientResources resources = resources();
    RedisClusterClient cluster = closing(RedisClusterClient.create(resources, uri));
    LockService service = service(LettuceBackend.of(cluster));

    refused(loop(client(resources), uri), service);
    refused(resources.eventExecutorGroup(), service);
  }

  @Test
  @DisplayName("L18: the threads of a client of sentinels refuse to wait")
  void threadsOfAClientOfSentinels() throws Exception {
    RedisSentinels set = RedisSentinels.shared();
    RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(set.name());
    set.sentinels().forEach(each -> builder.withSentinel(each.host(), each.port()));
    ClientResources resources = resources();
    RedisClient client = client(resources);
    LockService service = service(LettuceBackend.of(client, builder.build()));

    RedisServer master = set.master();
    refused(loop(client, RedisURI.create(master.host(), master.port())), service);
  }

  @Test
  @DisplayName("L18: the threads of a backend's own client refuse to wait")
  void threadsOfTheBackend() throws Exception {
    RedisServer server = closing(RedisServer.start());
    LockBackend backend = Fixture.open(server.uri());
    LockService service = service(backend);

    refused(
        task -> {
          CompletableFuture<?> unused =
              backend
                  .executeAsync(Fixture.run("for i = 1, 5000000 do end return {1}"))
                  .thenRun(task);
        },
        service);
  }

  @Test
  @DisplayName("L18: a Redlock and a multi-lock refuse the threads of any member's client")
  void threadsOfAnyMember() throws Exception {
    RedisServer first = closing(RedisServer.start());
    RedisServer second = closing(RedisServer.start());
    ClientResources resources = resources();
    RedisURI uri = RedisURI.create(second.uri());
    RedisClient client = client(resources);
    DistributedLock one = service(Fixture.open(first.uri())).getLock("k");
    DistributedLock other = service(LettuceBackend.of(client, uri)).getLock("k");
    DistributedLock third = service(LettuceBackend.of(client, uri)).getLock("k2");
    RedLock red = RedLock.of(one, other, third);
    MultiLock multi = MultiLock.of(one, other);
    Lease merged = multi.acquire();

    Map<String, Executable> calls = new LinkedHashMap<>();
    calls.put("close", merged::close);
    calls.put("extend", () -> merged.extend(LONG));
    calls.put("red lock", red::lock);
    calls.put("red tryLock", red::tryLock);
    calls.put("red tryLock in time", () -> red.tryLock(LONG.toMillis(), TimeUnit.MILLISECONDS));
    calls.put("red acquire", red::acquire);
    calls.put("multi acquire", multi::acquire);
    refused(loop(client, uri), calls);

    assertTrue(merged.isValid());
    merged.close();
    assertTrue(red.tryLock());
    red.unlock();
  }

  private void refused(Executor thread, LockService service) throws Exception {
    DistributedLock held = service.getLock("held");
    held.lock();
    Lease lease = service.getLock("lease").acquire();
    Lease permits = service.getSemaphore("held-permits", 2).acquire(2);
    refused(thread, blockingCalls(service, lease, permits));
    assertTrue(held.isHeldByCurrentThread());
    held.unlock();
    assertTrue(lease.isValid());
    lease.close();
    assertEquals(2, permits.permits());
    permits.close();
  }

  private static Map<String, Executable> blockingCalls(
      LockService service, Lease lease, Lease permits) {
    DistributedLock lock = service.getLock("free");
    DistributedReadWriteLock rw = service.getReadWriteLock("rw");
    MultiLock multi = MultiLock.of(service.getLock("m1"), service.getLock("m2"));
    DistributedSemaphore semaphore = service.getSemaphore("permits", 2);
    DistributedCountDownLatch latch = service.getCountDownLatch("latch");
    Map<String, Executable> calls = new LinkedHashMap<>();
    calls.put("lock", lock::lock);
    calls.put("lock of a held one", () -> service.getLock("held").lock());
    calls.put("lockInterruptibly", lock::lockInterruptibly);
    calls.put("tryLock", lock::tryLock);
    calls.put("tryLock in time", () -> lock.tryLock(LONG.toMillis(), TimeUnit.MILLISECONDS));
    calls.put("fair", () -> service.getFairLock("fair").lock());
    calls.put("fenced", () -> service.getFencedLock("fenced").lock());
    calls.put("read", () -> rw.readLock().lock());
    calls.put("write", () -> rw.writeLock().tryLock(LONG.toMillis(), TimeUnit.MILLISECONDS));
    calls.put("acquire", lock::acquire);
    calls.put("tryAcquire", () -> lock.tryAcquire(LONG));
    calls.put("forceUnlock", lock::forceUnlock);
    calls.put("isLocked", lock::isLocked);
    calls.put("holder", lock::holder);
    calls.put("getQueueLength", lock::getQueueLength);
    calls.put("multi lock", multi::lock);
    calls.put("multi tryLock", multi::tryLock);
    calls.put("multi acquire", multi::acquire);
    calls.put("permits", semaphore::acquire);
    calls.put("permits uninterruptibly", semaphore::acquireUninterruptibly);
    calls.put("permits at once", semaphore::tryAcquire);
    calls.put("permits in time", () -> semaphore.tryAcquire(LONG));
    calls.put("drain", semaphore::drain);
    calls.put("availablePermits", semaphore::availablePermits);
    calls.put("resize", () -> semaphore.resize(3));
    calls.put("trySetCount", () -> latch.trySetCount(1));
    calls.put("countDown", latch::countDown);
    calls.put("await", latch::await);
    calls.put("getCount", latch::getCount);
    calls.put("find", () -> service.find("*", 10));
    calls.put("status", () -> service.status("held"));
    calls.put("extend", () -> lease.extend(LONG));
    calls.put("close", lease::close);
    calls.put("closeAfter", () -> lease.closeAfter(LONG));
    calls.put("release", () -> permits.release(1));
    return calls;
  }

  /** Makes the calls on that thread. Each fails at once, names the thread, and sends nothing. */
  private void refused(Executor thread, Map<String, Executable> calls) throws Exception {
    CompletableFuture<Map<String, Throwable>> answer = new CompletableFuture<>();
    CompletableFuture<String> name = new CompletableFuture<>();
    AtomicInteger sentBy = new AtomicInteger();
    thread.execute(() -> {
      name.complete(Thread.currentThread().getName());
      int before = sent.get();
      Map<String, Throwable> failures = new LinkedHashMap<>();
      calls.forEach((what, call) -> failures.put(what, failure(call)));
      sentBy.set(sent.get() - before);
      answer.complete(failures);
    });
    answer
        .get(LONG.toSeconds(), TimeUnit.SECONDS)
        .forEach((what, failure) -> {
          assertInstanceOf(IllegalStateException.class, failure, what);
          String message = Fixture.message(failure);
          assertTrue(message.contains(name.join()), what + ": " + message);
          assertTrue(message.contains("async()"), what + ": " + message);
        });
    assertEquals(0, sentBy.get());
  }

  private static Throwable failure(Executable call) {
    try {
      call.execute();
      return new AssertionFailedError("it was not refused");
    } catch (Throwable e) {
      return e;
    }
  }
}
