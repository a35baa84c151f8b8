package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Listens to all sentinels of a set for a new master, independently of the client under test. Its
 * threads are daemons and end with {@link #close}.
 */
public final class SwitchBell implements AutoCloseable {
  private final List<RespConnection> links = new ArrayList<>();
  private final CompletableFuture<Long> first = new CompletableFuture<>();

  /**
   * Begins to listen.
   *
   * @param set whose sentinels run
   */
  public SwitchBell(RedisSentinels set) {
    for (RedisServer sentinel : set.sentinels()) {
      try {
        RespConnection link =
            new RespConnection(sentinel.host(), sentinel.port(), Duration.ofSeconds(60));
        links.add(link);
        link.call("SUBSCRIBE", "+switch-master");
        Thread thread = new Thread(() -> listen(link), "switch-bell");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        close();
        throw new UncheckedIOException(e);
      }
    }
  }

  private void listen(RespConnection link) {
    try {
      link.read();
      first.complete(System.nanoTime());
    } catch (IOException e) {
      // Closed, or the sentinel has ended. Another one tells.
    }
  }

  /**
   * When the first sentinel said that there is another master.
   *
   * @return completes with a time of {@link System#nanoTime}
   */
  public CompletableFuture<Long> first() {
    return first;
  }

  @Override
  public void close() {
    links.forEach(RespConnection::close);
  }
}
