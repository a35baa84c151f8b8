package io.mortise.jmh.rival;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.jmh.contestant.ClientSettings;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The surroundings of one case for one party: its own server, a link with faults, and clients. */
final class CaseSetup implements AutoCloseable {
  private final Contestant party;
  private final RedisServer server = RedisServer.start();
  private final TcpProxy link = TcpProxy.to(server);
  private final Deque<LockClient> clients = new ArrayDeque<>();

  CaseSetup(Contestant party) {
    this.party = party;
  }

  RedisServer server() {
    return server;
  }

  /** The link of the clients that {@link #openOverLink} opens. */
  TcpProxy link() {
    return link;
  }

  LockClient open(Duration lease) {
    return closedLater(party.openClient(new ClientSettings(server.uri(), lease)));
  }

  LockClient openOverLink(Duration lease) {
    return closedLater(party.openClient(new ClientSettings(link.uri(), lease)));
  }

  LockClient openReplicatedOverLink(Duration lease) {
    return closedLater(party.openReplicatedClient(new ClientSettings(link.uri(), lease)));
  }

  private LockClient closedLater(LockClient client) {
    clients.push(client);
    return client;
  }

  /** Locks and unlocks, so that scripts are loaded and connections open. */
  static void warmUp(LockClient client) {
    Mutex mutex = client.mutex("warm-up");
    for (int i = 0; i < 20; i++) {
      mutex.lock().lock();
      mutex.lock().unlock();
    }
  }

  static void pass(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  /** Waits long enough for a thread to join the queue. */
  static void settle() throws InterruptedException {
    pass(Duration.ofMillis(700));
  }

  boolean exists(Mutex mutex) {
    return count(Set.of(mutex.key())) == 1;
  }

  /** The number of existing keys among these. */
  long count(Collection<String> keys) {
    String[] words = Stream.concat(Stream.of("EXISTS"), keys.stream()).toArray(String[]::new);
    return number(server.command(words));
  }

  /** Seconds until the lock expires; negative if it is free. */
  double secondsToLive(Mutex mutex) {
    return number(server.command("PTTL", mutex.key())) / 1e3;
  }

  private static long number(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("not a number: " + reply);
  }

  /** Watches the key for this time. Returns the seconds until it was last seen, 0 if never. */
  double lastSeen(Mutex mutex, Duration watch) throws InterruptedException {
    long start = System.nanoTime();
    double seen = 0;
    for (double now = 0; now < watch.toMillis() / 1e3; now = (System.nanoTime() - start) / 1e9) {
      if (exists(mutex)) {
        seen = now;
      }
      Thread.sleep(20);
    }
    return seen;
  }

  /**
   * Commands since the last reset, including those inside scripts, without those that keep links
   * alive.
   */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>(server.commandCounts());
    counts.remove("ping");
    return counts;
  }

  /** Scripts since the last reset. */
  long scripts() {
    return server.commandCounts().getOrDefault("evalsha", 0L)
        + server.commandCounts().getOrDefault("eval", 0L);
  }

  @Override
  public void close() {
    link.resume();
    clients.forEach(LockClient::close);
    link.close();
    server.close();
  }
}
