package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that loses its data by restarts, while threads of three services read and write. A hold
 * may be lost by a restart since its request. The restart may even come before its thread knows of
 * the hold, since a reply and a message may be on their way. Nothing else loses a hold.
 */
public abstract class ReaderRestartRules extends LockRules {
  private static final int RESTARTS = 6;
  private static final int SERVICES = 3;
  private static final int THREADS = 9;

  private final RedisKit kit;
  private final RedisServer server = RedisServer.start();
  private final AtomicInteger restarts = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger kept = new AtomicInteger();
  private final Queue<String> unexplained = new ConcurrentLinkedQueue<>();

  protected ReaderRestartRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void stopTheServerLast() {
    closeLast(server);
  }

  @Override
  public LockBackend backend() {
    return closing(kit.open(server.uri()));
  }

  /** Makes the number odd while the server restarts, and even afterwards. */
  private void restart() {
    restarts.incrementAndGet();
    server.restart();
    restarts.incrementAndGet();
  }

  private void enterAndLeave(DistributedLock side, int thread) throws InterruptedException {
    int asked = restarts.get();
    boolean inside;
    try {
      inside = side.tryLock(1, TimeUnit.SECONDS);
    } catch (LockException e) {
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos()); // the server is down
      return;
    }
    if (!inside) {
      return;
    }
    long entered = System.nanoTime();
    LockSupport.parkNanos(Duration.ofMillis(thread).toNanos());
    try {
      side.unlock();
      kept.incrementAndGet();
    } catch (LeaseLostException e) {
      long stayed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - entered);
      if (asked % 2 == 0 && asked == restarts.get()) {
        unexplained.add(side + " after " + stayed + " ms: " + e.getMessage());
      }
    }
  }

  private boolean run(DistributedReadWriteLock lock, int thread) throws InterruptedException {
    for (int i = 0; !over.get(); i++) {
      enterAndLeave((i + thread) % 4 == 0 ? lock.writeLock() : lock.readLock(), thread);
    }
    return true;
  }

  @Test
  @Rule({"L1", "L9", "L10"})
  void aHoldThatWasAskedForAfterARestartIsKept() {
    List<DistributedReadWriteLock> locks = new ArrayList<>();
    for (int i = 0; i < SERVICES; i++) {
      locks.add(service().getReadWriteLock(name));
    }
    List<Contender> threads =
        IntStream.range(0, THREADS)
            .mapToObj(n -> Contender.startBusy(() -> run(locks.get(n % SERVICES), n)))
            .toList();
    for (int i = 0; i < RESTARTS; i++) {
      LockSupport.parkNanos(Duration.ofMillis(400).toNanos());
      restart();
    }
    int before = kept.get();
    Await.until("a thread acquired the lock after the last restart", () -> kept.get() > before);
    over.set(true);

    threads.forEach(thread -> assertTrue(thread.result()));
    assertEquals(List.of(), List.copyOf(unexplained));
  }
}
