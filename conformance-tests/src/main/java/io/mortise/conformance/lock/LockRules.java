package io.mortise.conformance.lock;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** What the lock tests share: services to open, a name of the test's own, time that passes. */
abstract class LockRules {
  static final Duration SECOND = Duration.ofSeconds(1);
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final LockKit kit;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Deque<AutoCloseable> last = new ArrayDeque<>();
  private @Nullable LockBackend looker;
  final String name = "test-" + ProcessHandle.current().pid() + '-' + NAMES.incrementAndGet();

  LockRules(LockKit kit) {
    this.kit = kit;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    for (AutoCloseable each : last) {
      each.close();
    }
  }

  /** Closes a server or a link after all services and backends. */
  void closeLast(AutoCloseable server) {
    last.addFirst(server);
  }

  /** A backend as another process would have it. */
  LockBackend backend() {
    return closing(kit.openBackend());
  }

  /** Closes a backend of the test's making, after the services. */
  LockBackend closing(LockBackend backend) {
    open.addLast(backend);
    return backend;
  }

  /** A service as another process would have it. */
  LockService service() {
    return service(builder -> builder);
  }

  LockService service(UnaryOperator<LockService.Builder> options) {
    return service(backend(), options);
  }

  void closeLater(LockService service) {
    open.addFirst(service);
  }

  /** A service on a backend of the test's making. */
  LockService service(LockBackend backend, UnaryOperator<LockService.Builder> options) {
    LockService service = options.apply(LockService.builder().sharedBackend(backend)).open();
    closeLater(service);
    return service;
  }

  /** Writes down the states that a service tells. */
  static LockListener noting(Collection<? super LeaseState> told) {
    return new LockListener() {
      @Override
      public void leaseChanged(LeaseChange event) {
        told.add(event.state());
      }
    };
  }

  /** The test's lock, as another process would have it. */
  DistributedLock lock() {
    return service().getLock(name);
  }

  DistributedLock lockWithLease(Duration lease) {
    return service(builder -> builder.leaseTime(lease)).getLock(name);
  }

  void passTime(Duration duration) {
    kit.passTime(duration);
  }

  /** Lets time pass until the condition holds, at most that long. */
  void passTimeUntil(String what, Duration longest, BooleanSupplier condition) {
    Duration step = Duration.ofMillis(50);
    for (Duration passed = Duration.ZERO;
        passed.compareTo(longest) <= 0;
        passed = passed.plus(step)) {
      if (condition.getAsBoolean()) {
        return;
      }
      passTime(step);
    }
    Await.until(what, condition);
  }

  /** Starts a thread that locks, and waits until it stands in line or is done. */
  Contender contender(Contender.Way way) {
    return Contender.start(way);
  }

  /**
   * Starts a thread that locks and stays inside, and waits until it stands in line or is inside.
   */
  static Contender entering(DistributedLock lock) {
    return Contender.start(() -> {
      lock.lock();
      return true;
    });
  }

  /** Waits until that many acquisitions stand in the lock's queue in the store. */
  void awaitQueued(long waiting) {
    Await.until(waiting + " acquisitions wait", () -> isQueued(waiting));
  }

  /** Whether that many acquisitions stand in the lock's queue in the store. */
  boolean isQueued(long waiting) {
    return isQueued(name, waiting);
  }

  boolean isQueued(String lock, long waiting) {
    String count = "return {redis.call('ZCARD', KEYS[1])}";
    return runOn("mortise:queue:{" + lock + "}", count).equals(List.<Object>of(waiting));
  }

  /** Deletes the lock's key behind everybody's back. */
  void deleteKey() {
    run("return {redis.call('DEL', KEYS[1])}");
  }

  /** Runs a script on the lock's key. */
  List<Object> run(String script) {
    return runOn("mortise:lock:{" + name + "}", script);
  }

  List<Object> runOn(String key, String script) {
    LockBackend looking = looker == null ? backend() : looker;
    looker = looking;
    return looking.execute(
        new ScriptCall(Script.of("test", script), List.of(key), List.of(), SECOND));
  }
}
