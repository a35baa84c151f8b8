package io.mortise.jmh;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a lock costs that nobody else wants: lock and unlock by one thread, first and nested. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class UncontendedLock {
  /** The backend by its provider's name. */
  @Param({"memory", "jedis", "lettuce"})
  public String backend = "memory";

  private @Nullable RedisServer server;
  private @Nullable LockService service;
  private @Nullable DistributedLock lock;
  private @Nullable DistributedLock held;

  /** Starts a server if the backend needs one. */
  @Setup
  public void open() {
    String uri = "memory:bench";
    if (!backend.equals("memory")) {
      server = RedisServer.start();
      uri = server.uri().toString();
    }
    LockService opened = LockService.open(uri, backend);
    service = opened;
    lock = opened.getLock("bench");
    held = opened.getLock("held");
  }

  /** Ends what was started. */
  @TearDown
  public void close() {
    if (service != null) {
      service.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** The first hold of a thread: one command each. */
  @Benchmark
  public void lockAndUnlock() {
    DistributedLock each = Objects.requireNonNull(lock);
    each.lock();
    each.unlock();
  }

  /** A hold inside a hold: no command. */
  @Benchmark
  public void nestedLockAndUnlock() {
    DistributedLock each = Objects.requireNonNull(held);
    if (!each.isHeldByCurrentThread()) {
      each.lock();
    }
    each.lock();
    each.unlock();
  }
}
