package io.mortise.rivals;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one party has for one case: a server of its own, a link to spoil, clients to open. */
final class Stage implements AutoCloseable {
  private final Party party;
  private final RedisServer server = RedisServer.start();
  private final TcpProxy link = TcpProxy.to(server);
  private final Deque<Client> clients = new ArrayDeque<>();

  Stage(Party party) {
    this.party = party;
  }

  RedisServer server() {
    return server;
  }

  /** The link that clients opened by {@link #openOverLink} use. */
  TcpProxy link() {
    return link;
  }

  Client open(Duration lease) {
    return closedLater(party.open(new Party.Settings(server.uri(), lease)));
  }

  Client openOverLink(Duration lease) {
    return closedLater(party.open(new Party.Settings(link.uri(), lease)));
  }

  Client openReplicatedOverLink(Duration lease) {
    return closedLater(party.openReplicated(new Party.Settings(link.uri(), lease)));
  }

  private Client closedLater(Client client) {
    clients.push(client);
    return client;
  }

  /** Locks and unlocks, so that scripts are loaded and connections open. */
  static void warmUp(Client client) {
    Mutex mutex = client.mutex("warm-up");
    for (int i = 0; i < 20; i++) {
      mutex.lock().lock();
      mutex.lock().unlock();
    }
  }

  static void pass(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  /** Long enough for a thread to stand in line. */
  static void settle() throws InterruptedException {
    pass(Duration.ofMillis(700));
  }

  boolean exists(Mutex mutex) {
    return count(Set.of(mutex.key())) == 1;
  }

  /** How many of the keys exist. */
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

  /** Watches for that long; seconds from now to when the key was last seen, 0 if never. */
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

  /** Commands since the last reset, those inside scripts too, but for what keeps links alive. */
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
    clients.forEach(Client::close);
    link.close();
    server.close();
  }
}
