package io.mortise.backend.inmemory;

import io.mortise.Kind;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One process of a simulation: a service with random options, whose link fails at random. The
 * process can be paused as a whole. A pause stops its threads where they wake or use the store, and
 * delays its timers and messages.
 */
final class SimulatedProcess implements TimeSource {
  static final AtomicInteger SHARED_READS = new AtomicInteger();

  private final InMemoryStore store;
  private final Duration lease;
  private final boolean retains;
  private final Random options;
  private final List<ToldPairs> told = new ArrayList<>();
  private final List<Thread> draining = new ArrayList<>();
  private final SimulatedLink link;
  private final Queue<Runnable> keptBack = new ConcurrentLinkedQueue<>();
  private LockBackend client;
  private volatile LockService service;
  private volatile boolean paused;

  SimulatedProcess(InMemoryStore store, Duration lease, long seed) {
    this.store = store;
    this.lease = lease;
    retains = seed % 3 == 0;
    options = new Random(seed);
    link = new SimulatedLink(store, seed);
    client = store.backend();
    service = open();
  }

  private LockService open() {
    ToldPairs pairs = new ToldPairs(options);
    told.add(pairs);
    LockService.Builder builder =
        LockService.builder()
            .sharedBackend(new Client(client))
            .leaseTime(lease)
            .listener(new SharedReads())
            .listener(pairs)
            .retain(retains ? lease.dividedBy(2) : Duration.ZERO)
            .interruptOnLoss(options.nextBoolean())
            .breakDeadlocks(options.nextBoolean());
    builder = options.nextBoolean() ? builder.handOffLimit(options.nextInt(4)) : builder;
    builder =
        options.nextInt(3) == 0
            ? builder.maxHold(lease.plusMillis(options.nextInt(3_000)))
            : builder;
    return switch (options.nextInt(3)) {
      case 0 -> builder.executor(Runnable::run).open();
      case 1 -> builder.executor(refusing(new Random(options.nextLong()))).open();
      default -> builder.open();
    };
  }

  /** It runs tasks in place, but for one in ten. */
  private static Executor refusing(Random random) {
    return task -> {
      synchronized (random) {
        if (random.nextInt(10) == 0) {
          throw new RejectedExecutionException("on purpose");
        }
      }
      task.run();
    };
  }

  /** Counts the read holds that threads of a process share. */
  private static final class SharedReads implements LockListener {
    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      if (attempt.kind() == Kind.READ && hold.via() == LockHold.Via.HANDED) {
        SHARED_READS.incrementAndGet();
      }
    }
  }

  LockService service() {
    return service;
  }

  SimulatedLink link() {
    return link;
  }

  boolean isPaused() {
    return paused;
  }

  void pause() {
    paused = true;
  }

  void goOn() {
    synchronized (this) {
      paused = false;
      notifyAll();
    }
    for (Runnable task = keptBack.poll(); task != null; task = keptBack.poll()) {
      task.run();
    }
  }

  /** Closes its service, with all its holds, and opens another. Some holds have time to end. */
  void reopen() {
    boolean before = link.isFailing();
    link.fails(false);
    if (options.nextBoolean()) {
      drain(service, client, Duration.ofMillis(options.nextInt(4_000)));
    } else {
      service.close();
      client.close();
    }
    client = store.backend();
    service = open();
    link.fails(before);
  }

  /** It waits for holds to end, while time moves. */
  private void drain(LockService old, LockBackend by, Duration patience) {
    Thread closing =
        new Thread(() -> {
          boolean unused = old.close(patience);
          by.close();
        });
    closing.setDaemon(true);
    closing.start();
    draining.add(closing);
  }

  /** Whether all services that were closed before are closed. */
  boolean isDrained() {
    return draining.stream().noneMatch(Thread::isAlive);
  }

  /** What its listeners were told of all its services. */
  List<ToldPairs> told() {
    return told;
  }

  /** Ends the process. */
  void shutDown() {
    service.close();
    client.close();
  }

  private void passPause() {
    if (!(Thread.currentThread() instanceof SimulatedThread)) {
      return;
    }
    boolean interrupted = false;
    synchronized (this) {
      while (paused) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void unlessPaused(Runnable task) {
    if (paused) {
      keptBack.add(task);
    } else {
      task.run();
    }
  }

  // The backend

  private final class Client implements LockBackend {
    private final LockBackend client;

    Client(LockBackend client) {
      this.client = client;
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      passPause();
      List<Object> reply = link.execute(client, call);
      passPause();
      return reply;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return link.executeAsync(client, call);
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      return client.subscribe(
          channel,
          new ChannelListener() {
            @Override
            public void onSubscribed() {
              unlessPaused(listener::onSubscribed);
            }

            @Override
            public void onInterrupted(Throwable cause) {
              unlessPaused(() -> listener.onInterrupted(cause));
            }

            @Override
            public void onMessage(String message) {
              for (int copies = link.copiesOfMessage(); copies > 0; copies--) {
                link.deliver(() ->
                    unlessPaused(() -> {
                      link.hears(message);
                      listener.onMessage(message);
                    }));
              }
            }
          });
    }

    @Override
    public BackendInfo info() {
      return client.info();
    }

    @Override
    public TimeSource time() {
      return SimulatedProcess.this;
    }

    @Override
    public void close() {}
  }

  // Time

  @Override
  public long nanoTime() {
    return store.time().nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return store.time().currentTimeMillis();
  }

  @Override
  public void checkMayPark() {
    store.time().checkMayPark();
  }

  @Override
  public void unpark(Thread thread) {
    store.time().unpark(thread);
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    store.time().parkNanos(blocker, nanos);
    passPause();
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return store.time().schedule(() -> unlessPaused(task), delay);
  }

  @Override
  public String toString() {
    return service + (paused ? ", paused" : "") + (link.isFailing() ? ", failing" : "");
  }
}
