package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lettuce's resources, foremost its threads, for several clients. They end when their owner has
 * closed them and the last client has ended. A client that ends without threads would never report
 * its end. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
final class SharedThreads implements AutoCloseable {
  private final ClientResources resources;
  private final Runnable end;

  /** The time of all clients. */
  final LoopTime time = new LoopTime();

  /** The owner, and the clients that have not ended. */
  private final AtomicInteger users = new AtomicInteger(1);

  private SharedThreads(ClientResources resources, Runnable end) {
    this.resources = resources;
    this.end = end;
  }

  /** Threads of a backend's own, for many servers. */
  static SharedThreads start() {
    ClientResources own = ClientResources.builder().timer(new ScheduledNettyTimer()).build();
    return new SharedThreads(own, own::shutdown);
  }

  /**
   * A backend's own I/O thread, for one server. Messages and replies then come to the same thread,
   * which is awake more often than each of two. It is not {@code ioThreadPoolSize(1)}, which
   * Lettuce raises to two.
   */
  static SharedThreads startOne() {
    EventLoopGroupProvider loop = new DefaultEventLoopGroupProvider(1);
    ClientResources own =
        ClientResources.builder()
            .eventLoopGroupProvider(loop)
            .timer(new ScheduledNettyTimer())
            .build();
    return new SharedThreads(
        own,
        () -> {
          own.shutdown();
          loop.shutdown(0, 2, TimeUnit.SECONDS);
        });
  }

  /** Threads of an application, which never end here. */
  static SharedThreads of(ClientResources given) {
    return new SharedThreads(given, () -> {});
  }

  OwnClient client(ClientOptions options) {
    users.incrementAndGet();
    return new OwnClient(resources, options, time, this::close);
  }

  /** Called once by the owner, and once for each client. Does not wait. */
  @Override
  public void close() {
    if (users.decrementAndGet() == 0) {
      end.run();
    }
  }
}
