package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Deadlock;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** Services of one store whose time is moved, and threads that wait for each other. */
final class DeadlockWorld implements AutoCloseable {
  /** Three looks, and the time that a wait must have lasted at the first. */
  static final Duration THREE_LOOKS = Duration.ofSeconds(8);

  final InMemoryStore store;
  final List<Deadlock> told = new CopyOnWriteArrayList<>();
  private final List<LockService> services = new ArrayList<>();
  private final List<Party> parties = new ArrayList<>();
  private long opening;

  DeadlockWorld() {
    this(InMemoryStore.withMovableTime());
  }

  DeadlockWorld(InMemoryStore store) {
    this.store = store;
  }

  LockService service() {
    return service(options -> options);
  }

  LockService breaking() {
    return service(options -> options.breakDeadlocks(true));
  }

  LockService service(UnaryOperator<LockService.Builder> options) {
    LockListener telling =
        new LockListener() {
          @Override
          public void deadlocked(Deadlock deadlock) {
            told.add(deadlock);
          }
        };
    LockService.Builder builder =
        LockService.builder().backend(store.backend()).executor(Runnable::run).listener(telling);
    LockService service = options.apply(builder).open();
    services.add(service);
    opening = hkeys(); // the check of a service that opens
    return service;
  }

  /** A thread that has taken its first lock, and takes the second when it is told to. */
  final class Party {
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final CompletableFuture<Optional<RuntimeException>> end = new CompletableFuture<>();
    final Thread thread;

    Party(String name, Lock first, Lock then) {
      this(body -> new Thread(body, name), first, then);
    }

    Party(UnaryThread made, Lock first, Lock then) {
      thread = made.of(() -> run(first, then));
      thread.start();
      parties.add(this);
      await(held);
    }

    private void run(Lock first, Lock then) {
      first.lock();
      try {
        held.countDown();
        await(go);
        then.lockInterruptibly();
        then.unlock();
        end.complete(Optional.empty());
      } catch (InterruptedException e) {
        end.complete(Optional.of(new IllegalStateException("interrupted", e)));
      } catch (RuntimeException e) {
        end.complete(Optional.of(e));
      } finally {
        first.unlock();
      }
    }

    /** Begins to wait for its second lock. Then a second passes, so the next one is younger. */
    Party waits() {
      goes();
      store.advance(Duration.ofSeconds(1));
      return this;
    }

    /** As {@link #waits}, and no time passes. */
    void goes() {
      begins();
      Await.until(
          "it waits at a gate",
          () -> {
            Object blocker = LockSupport.getBlocker(thread);
            return blocker != null && blocker.getClass().getSimpleName().equals("Gate");
          });
    }

    /** Begins to take its second lock. */
    void begins() {
      go.countDown();
    }

    void interrupt() {
      thread.interrupt();
      Optional<RuntimeException> unused = end();
    }

    /** How it ended: with its second lock, or by an exception. */
    Optional<RuntimeException> end() {
      try {
        return end.get(60, TimeUnit.SECONDS);
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        throw new AssertionError(thread.getName(), e);
      }
    }
  }

  interface UnaryThread {
    Thread of(Runnable body);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** How many probes were sent. Of a plain lock, only a probe asks for all ids. */
  long probes() {
    return hkeys() - opening;
  }

  private long hkeys() {
    return store.commandCounts().getOrDefault("HKEYS", 0L);
  }

  /** Lets three looks pass. Returns what was told meanwhile, and in the ten seconds after. */
  List<Deadlock> looked() {
    for (int i = 0; i < 80; i++) {
      store.advance(THREE_LOOKS.dividedBy(80)); // in steps, so that messages come in between
    }
    List<Deadlock> found = List.copyOf(told);
    store.advance(Duration.ofSeconds(10));
    assertEquals(found, told, "it was told late, or twice");
    return found;
  }

  /** The one deadlock that was told, as the names of its threads, the youngest first. */
  List<String> names() {
    List<Deadlock> found = looked();
    assertEquals(1, found.size(), found.toString());
    return found.get(0).parties().stream().map(Deadlock.Party::threadName).toList();
  }

  @Override
  public void close() {
    parties.forEach(each -> each.thread.interrupt());
    parties.forEach(Party::end);
    services.forEach(LockService::close);
  }
}
