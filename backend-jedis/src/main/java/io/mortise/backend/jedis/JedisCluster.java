package io.mortise.backend.jedis;

import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.cluster.ClusterNodes;
import io.mortise.backend.support.cluster.ClusterRouter;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The nodes of a cluster through Jedis.
 *
 * @param pools makes or finds the pool of a place
 * @param ends ends the pool of a node that is closed
 * @param tls whether the nodes use TLS, for messages
 * @param opening the pools of nodes that are just being opened
 */
record JedisCluster(
    Function<String, ConnectionPool> pools,
    Consumer<ConnectionPool> ends,
    boolean tls,
    Set<ConnectionPool> opening)
    implements ClusterNodes {
  JedisCluster(Function<String, ConnectionPool> pools, Consumer<ConnectionPool> ends, boolean tls) {
    this(pools, ends, tls, ConcurrentHashMap.newKeySet());
  }

  /**
   * A backend on the pools of a client that belongs to the application.
   *
   * @param pools the client's own map, from {@code host:port} to the pool of each node
   */
  static LockBackend of(Map<?, ?> pools) {
    List<String> seeds = pools.keySet().stream().map(String::valueOf).sorted().toList();
    JedisCluster nodes = new JedisCluster(place -> given(pools, place), pool -> {}, false);
    return new ClusterRouter(
        nodes, seeds, "redis-cluster://" + String.join(",", seeds), Opening.attempt(Duration.ZERO));
  }

  private static ConnectionPool given(Map<?, ?> pools, String place) {
    if (pools.get(place) instanceof ConnectionPool pool) {
      return pool;
    }
    throw new BackendException(
        Outcome.NOT_EXECUTED,
        "the given Jedis client has no pool for "
            + place
            + "; it makes one when it reads the cluster's slots itself",
        null);
  }

  @Override
  public TimeSource time() {
    return ReaderTime.INSTANCE;
  }

  @Override
  public int slot(String key) {
    return JedisClusterCRC16.getSlot(key);
  }

  @Override
  public Node open(String place) {
    return Opening.patiently(
        RedisAddress.at(place, tls), Opening.attempt(Duration.ZERO), () -> openOnce(place));
  }

  private Node openOnce(String place) {
    ConnectionPool pool = pools.apply(place);
    opening.add(pool);
    try {
      return new JedisNode(
          new JedisBackend(
              pool,
              place,
              JedisBackend.BEAT,
              () -> ends.accept(pool),
              RedisServers::usableInCluster));
    } finally {
      opening.remove(pool);
    }
  }

  @Override
  public void close() {
    opening.forEach(ends); // the other nodes close their own
  }
}
