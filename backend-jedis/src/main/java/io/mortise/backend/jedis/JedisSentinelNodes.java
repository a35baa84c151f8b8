package io.mortise.backend.jedis;

import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.sentinel.SentinelAddress;
import io.mortise.backend.support.sentinel.SentinelNodes;
import io.mortise.backend.support.sentinel.SentinelRouter;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.KeyValue;

/**
 * The servers of a sentinel set through Jedis. Both kinds get the connections of a single server.
 *
 * @param data makes the pool of a server with data
 * @param sentinels makes the pool of a sentinel
 * @param timeout how long a sentinel may take to answer
 * @param tls whether the servers use TLS, for messages
 * @param ends what the end has to do: it closes the pools of servers that are just being opened
 */
record JedisSentinelNodes(
    Function<String, ConnectionPool> data,
    Function<String, ConnectionPool> sentinels,
    Duration timeout,
    boolean tls,
    Set<Runnable> ends)
    implements SentinelNodes {
  JedisSentinelNodes(
      Function<String, ConnectionPool> data,
      Function<String, ConnectionPool> sentinels,
      Duration timeout,
      boolean tls) {
    this(data, sentinels, timeout, tls, ConcurrentHashMap.newKeySet());
  }

  /** Connects with an application's own settings. */
  static LockBackend connect(
      String master,
      Set<HostAndPort> sentinels,
      JedisClientConfig servers,
      JedisClientConfig watched) {
    List<String> places = sentinels.stream().map(HostAndPort::toString).toList();
    SentinelAddress address =
        new SentinelAddress(servers.isSsl(), places, null, servers.getDatabase(), master);
    int millis = servers.getSocketTimeoutMillis();
    Duration timeout = millis == 0 ? Opening.attempt(Duration.ZERO) : Duration.ofMillis(millis);
    JedisSentinelNodes nodes =
        new JedisSentinelNodes(
            place -> pool(place, servers), place -> pool(place, watched), timeout, servers.isSsl());
    nodes.ends.add(() -> OwnPool.end(servers));
    nodes.ends.add(() -> OwnPool.end(watched));
    return new SentinelRouter(nodes, address, timeout);
  }

  private static ConnectionPool pool(String place, JedisClientConfig settings) {
    return OwnPool.of(HostAndPort.from(place), settings, OwnConnections.limits());
  }

  @Override
  public TimeSource time() {
    return ReaderTime.INSTANCE;
  }

  @Override
  public LockBackend master(String place) {
    return patiently(
        place, () -> open(place, data.apply(place), JedisBackend.BEAT, RedisServers::usable));
  }

  @Override
  public Sentinel sentinel(String place) {
    String name = "sentinel " + place;
    return new Link(
        patiently(
            place, () -> open(name, sentinels.apply(place), BEAT, RedisServers::usableSentinel)),
        timeout);
  }

  private JedisBackend patiently(String place, Supplier<JedisBackend> attempt) {
    return Opening.patiently(RedisAddress.at(place, tls), timeout, attempt);
  }

  private JedisBackend open(
      String endpoint, ConnectionPool pool, Duration beat, JedisBackend.Check check) {
    Runnable end = pool::close;
    ends.add(end);
    try {
      return new JedisBackend(pool, endpoint, beat, end, check);
    } finally {
      ends.remove(end);
    }
  }

  @Override
  public void close() {
    ends.forEach(Runnable::run); // the other servers have closed their pools
  }

  /** A sentinel is a server that knows SUBSCRIBE and PING. It runs no scripts. */
  private record Link(JedisBackend server, Duration timeout) implements Sentinel {
    @Override
    public List<?> ask(String... words) throws Exception {
      server.use();
      try {
        return flat(server.ask(timeout, words));
      } catch (JedisDataException e) {
        throw new BackendException(Outcome.REPLIED, String.valueOf(e.getMessage()), e);
      }
    }

    /** Jedis reads a map as a list of pairs. */
    private static List<Object> flat(List<?> reply) {
      return reply.stream().flatMap(Link::words).toList();
    }

    private static Stream<Object> words(Object element) {
      if (element instanceof KeyValue<?, ?> pair) {
        return Stream.of(pair.getKey(), pair.getValue());
      }
      return Stream.of(element instanceof List<?> list ? flat(list) : element);
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      return server.subscribe(channel, listener);
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
