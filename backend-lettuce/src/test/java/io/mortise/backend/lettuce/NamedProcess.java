package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.resource.ClientResources;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.cluster.ClusterAddress;
import io.mortise.backend.support.cluster.ClusterRouter;
import io.mortise.backend.support.sentinel.SentinelAddress;
import io.mortise.backend.support.sentinel.SentinelRouter;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * A process whose backend is that of a URI, but asks the JVM for the addresses of names. Lettuce
 * asks DNS servers itself, which a test cannot choose.
 */
final class NamedProcess {
  private static final ClientOptions OPTIONS = ClientOptions.create();

  private NamedProcess() {}

  public static void main(String[] args) throws IOException {
    RemoteLock.serve(args, builder -> builder.backend(open(URI.create(args[0]))));
  }

  private static LockBackend open(URI uri) {
    BackendConfig config = new BackendConfig(uri, Duration.ofSeconds(3), "mortise-kit", Map.of());
    SharedThreads threads =
        SharedThreads.of(
            ClientResources.builder()
                .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
                .build());
    if (SentinelAddress.isMeantBy(uri)) {
      SentinelAddress set = SentinelAddress.of(uri);
      return new SentinelRouter(
          new LettuceSentinelNodes(
              threads,
              OPTIONS,
              place -> OwnClient.uri(set.data(place), config, null),
              place -> OwnClient.uri(set.sentinel(place, null), config, null)),
          set,
          config.commandTimeout());
    }
    if (uri.getScheme().equals("redis-cluster")) {
      ClusterAddress cluster = ClusterAddress.of(uri);
      return new ClusterRouter(
          new LettuceCluster(
              threads, OPTIONS, place -> OwnClient.uri(cluster.at(place), config, null)),
          cluster.places(),
          cluster.toString(),
          config.commandTimeout());
    }
    return LettuceBackendProvider.connect(
        threads,
        OPTIONS,
        OwnClient.uri(RedisAddress.of(uri), config, null),
        LettuceBackend.BEAT,
        RedisServers::usable);
  }
}
