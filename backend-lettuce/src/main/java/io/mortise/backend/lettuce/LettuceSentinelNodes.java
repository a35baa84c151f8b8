package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/**
 * The servers of a sentinel set through Lettuce. Both kinds get the connections of a single server.
 * They share threads, and each has a client of its own.
 *
 * @param threads those of all servers
 * @param options as for a single server
 * @param data makes the URI of a server with data
 * @param sentinels makes the URI of a sentinel
 */
record LettuceSentinelNodes(
    SharedThreads threads,
    ClientOptions options,
    Function<String, RedisURI> data,
    Function<String, RedisURI> sentinels)
    implements SentinelNodes {
  /** How long a sentinel may take to answer. */
  private static final Duration ANSWER = Duration.ofSeconds(2);

  /** Connects with the settings of an application's client. */
  static LockBackend connect(RedisClient client, RedisURI uri) {
    ClientOptions options = client.getOptions();
    Given servers = new Given(uri, AskedCredentials.of(uri, options));
    Map<String, Given> sentinels = new LinkedHashMap<>();
    for (RedisURI each : uri.getSentinels()) {
      sentinels.put(
          each.getHost() + ':' + each.getPort(),
          new Given(each, AskedCredentials.of(each, options)));
    }
    Given any = sentinels.values().iterator().next();
    LettuceSentinelNodes nodes =
        new LettuceSentinelNodes(
            SharedThreads.of(client.getResources()),
            options,
            place -> servers.at(place, uri),
            place -> sentinels.getOrDefault(place, any).at(place, uri));
    SentinelAddress address =
        new SentinelAddress(
            uri.isSsl(),
            List.copyOf(sentinels.keySet()),
            null,
            uri.getDatabase(),
            uri.getSentinelMasterId());
    return new SentinelRouter(nodes, address, ANSWER);
  }

  /** The settings of an application's URI, and the credentials to use in place of its own. */
  private record Given(RedisURI settings, RedisCredentialsProvider credentials) {
    /** The address of a server, with these settings and the timeout of another URI. */
    RedisURI at(String place, RedisURI timed) {
      RedisURI server = LettuceCluster.at(place, settings);
      server.setTimeout(timed.getTimeout());
      server.setCredentialsProvider(credentials);
      return server;
    }
  }

  @Override
  public LockBackend master(String place) {
    return open(data.apply(place), LettuceBackend.BEAT, RedisServers::usable);
  }

  @Override
  public Sentinel sentinel(String place) {
    RedisURI uri = sentinels.apply(place);
    return new Link(open(uri, BEAT, RedisServers::usableSentinel));
  }

  @Override
  public TimeSource time() {
    return threads.time;
  }

  private LettuceBackend open(RedisURI uri, Duration beat, LettuceBackend.Check check) {
    return LettuceBackendProvider.connect(threads, options, uri, beat, check);
  }

  @Override
  public void close() {
    threads.closeAll();
  }

  /** A sentinel is a server that knows SUBSCRIBE and PING. It runs no scripts. */
  private record Link(LettuceBackend server) implements Sentinel {
    @Override
    public List<?> ask(String... words) throws Exception {
      server.use();
      try {
        return server.ask(ANSWER, words);
      } catch (ExecutionException e) {
        String said = String.valueOf(e.getCause() == null ? null : e.getCause().getMessage());
        throw e.getCause() instanceof RedisCommandExecutionException
            ? new BackendException(Outcome.REPLIED, said, e)
            : e.getCause() instanceof Exception cause ? cause : e;
      }
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
