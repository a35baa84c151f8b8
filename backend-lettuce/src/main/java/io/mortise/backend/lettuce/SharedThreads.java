package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.ThreadFactoryProvider;
import io.mortise.backend.support.Waits;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Lettuce's resources, foremost its threads, for several clients. They end when their owner has
 * closed them and the last client has ended. A client that ends without threads would never report
 * its end. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
final class SharedThreads implements AutoCloseable {
  private final ClientResources resources;
  private final Supplier<CompletableFuture<?>> end;

  /** The clients that have not ended. */
  private final Set<OwnClient> clients = ConcurrentHashMap.newKeySet();

  /** The time of all clients. */
  final LoopTime time = new LoopTime();

  /** The owner, and the clients that have not ended. */
  private final AtomicInteger users = new AtomicInteger(1);

  private SharedThreads(ClientResources resources, Supplier<CompletableFuture<?>> end) {
    this.resources = resources;
    this.end = end;
  }

  /**
   * Threads of a backend's own.
   *
   * @param most the most I/O threads. One is for one server: messages and replies then come to the
   *     same thread, which is awake more often than each of two. It is not {@code
   *     ioThreadPoolSize(1)}, which Lettuce raises to two
   */
  static SharedThreads start(int most) {
    Made made = new Made();
    EventLoopGroupProvider loop = new DefaultEventLoopGroupProvider(most, made);
    ClientResources own =
        ClientResources.builder()
            .threadFactoryProvider(made)
            .eventLoopGroupProvider(loop)
            .timer(new ScheduledNettyTimer())
            .build();
    return new SharedThreads(
        own,
        () ->
            made.end(
                CompletableFuture.allOf(
                    told(own.shutdown(0, 1, TimeUnit.SECONDS)),
                    told(loop.shutdown(0, 1, TimeUnit.SECONDS)))));
  }

  private static CompletableFuture<?> told(Future<?> by) {
    CompletableFuture<?> told = new CompletableFuture<>();
    by.addListener(any -> told.complete(null));
    return told;
  }

  /** Makes threads as Lettuce does, and knows them. */
  private static final class Made implements ThreadFactoryProvider {
    /** A thread that has told its end needs only a moment more. */
    private static final long LONGEST_JOIN_MS = 100;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    @Override
    public ThreadFactory getThreadFactory(String pool) {
      return new DefaultThreadFactory(pool, true) {
        @Override
        protected Thread newThread(Runnable task, String name) {
          Thread made = super.newThread(task, name);
          threads.add(made);
          return made;
        }
      };
    }

    /** A thread of Netty tells its end while it still runs. So this waits for the threads too. */
    CompletableFuture<?> end(CompletableFuture<?> told) {
      return told.thenRun(() -> threads.forEach(Made::join));
    }

    private static void join(Thread ends) {
      try {
        if (!ends.equals(Thread.currentThread())) {
          ends.join(LONGEST_JOIN_MS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Threads of an application, which never end here. */
  static SharedThreads of(ClientResources given) {
    return new SharedThreads(given, () -> CompletableFuture.completedFuture(null));
  }

  OwnClient client(ClientOptions options) {
    users.incrementAndGet();
    OwnClient client = new OwnClient(resources, options, time, this::leave);
    clients.add(client);
    return client;
  }

  private CompletableFuture<?> leave(OwnClient client) {
    clients.remove(client);
    return leave();
  }

  /** The future ends with the threads, if this was the last that used them. */
  private CompletableFuture<?> leave() {
    return users.decrementAndGet() == 0 ? end.get() : CompletableFuture.completedFuture(null);
  }

  /**
   * Called once by the owner. If no client is left, waits at most a second for the threads' end.
   */
  @Override
  public void close() {
    Waits.awaitEnd(leave(), OwnClient.LONGEST_END);
  }

  /** In place of {@link #close}: closes all clients too, also those that just connect. */
  void closeAll() {
    List<CompletableFuture<?>> ends = new ArrayList<>();
    clients.forEach(client -> ends.add(client.close()));
    ends.add(leave());
    Waits.awaitEnd(
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)), OwnClient.LONGEST_END);
  }
}
