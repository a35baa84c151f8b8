package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.cluster.ClusterNodes;
import io.mortise.backend.support.cluster.ClusterRouter;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The nodes of a cluster through Lettuce. They share threads, and each has a client of its own, so
 * that each measures the silence of its own links.
 *
 * @param threads those of all nodes
 * @param options as for a single server
 * @param uris makes the URI of a place, with user, password and TLS
 */
record LettuceCluster(SharedThreads threads, ClientOptions options, Function<String, RedisURI> uris)
    implements ClusterNodes {
  /** A backend with the settings of a client that belongs to the application. */
  static LockBackend of(RedisClusterClient client) {
    List<RedisURI> seeds = seeds(client);
    RedisURI model = RedisURI.builder(seeds.get(0)).build();
    model.setCredentialsProvider(AskedCredentials.of(model, client.getOptions()));
    List<String> places = seeds.stream().map(uri -> uri.getHost() + ':' + uri.getPort()).toList();
    String scheme = model.isSsl() ? "rediss-cluster://" : "redis-cluster://";
    LettuceCluster nodes =
        new LettuceCluster(
            SharedThreads.of(client.getResources()),
            client.getOptions(),
            place -> at(place, model));
    return new ClusterRouter(
        nodes, places, scheme + String.join(",", places), Opening.attempt(Duration.ZERO));
  }

  private static List<RedisURI> seeds(RedisClusterClient client) {
    try {
      return client.getPartitions().stream().map(RedisClusterNode::getUri).toList();
    } catch (RuntimeException e) {
      throw RedisServers.refusal("the given cluster client", e);
    }
  }

  /** The URI of a server, with the settings of another one. */
  static RedisURI at(String place, RedisURI model) {
    int colon = place.lastIndexOf(':');
    return RedisURI.builder(model)
        .withHost(place.substring(0, colon))
        .withPort(Integer.parseInt(place.substring(colon + 1)))
        .build();
  }

  @Override
  public TimeSource time() {
    return threads.time;
  }

  @Override
  public int slot(String key) {
    return SlotHash.getSlot(key);
  }

  @Override
  public Node open(String place) {
    return new LettuceNode(
        LettuceBackendProvider.connect(
            threads,
            options,
            uris.apply(place),
            LettuceBackend.BEAT,
            RedisServers::usableInCluster));
  }

  @Override
  public void close() {
    threads.closeAll();
  }
}
