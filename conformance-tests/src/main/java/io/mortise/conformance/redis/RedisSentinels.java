package io.mortise.conformance.redis;

import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A master, two replicas and three sentinels, as plain processes of this machine. Three seconds
 * pass until they know each other. Not thread-safe.
 */
public final class RedisSentinels implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  /** No other set has it. Sentinels of one name that meet at a server believe each other. */
  private final String name;

  private RedisSentinels(List<String> further, Duration downAfter, String... arguments) {
    RedisServer master = data(arguments).start();
    servers.add(master);
    name = "master-" + master.port();
    String address = master.host() + ' ' + master.port();
    for (int i = 0; i < 2; i++) {
      servers.add(data(arguments).arguments(("--replicaof " + address).split(" ")).start());
    }
    for (int i = 0; i < 3; i++) {
      sentinels.add(
          RedisServer.builder()
              .sentinel(further.toArray(String[]::new))
              .sentinel(
                  "sentinel monitor %s %s 2".formatted(name, address),
                  "sentinel down-after-milliseconds %s %d".formatted(name, downAfter.toMillis()),
                  "sentinel failover-timeout %s 3000".formatted(name))
              .start());
    }
  }

  /**
   * Starts a set. The test that asks is skipped if this machine has no redis-server.
   *
   * @param downAfter how long a server is silent before a sentinel believes that it is down
   * @param arguments further arguments of the servers with data
   * @return a set in which each sentinel knows all others and both replicas
   */
  public static RedisSentinels start(Duration downAfter, String... arguments) {
    assumeInstalled();
    RedisSentinels set = new RedisSentinels(List.of(), downAfter, arguments);
    set.awaitComplete();
    return set;
  }

  static void assumeInstalled() {
    Assumptions.assumeTrue(
        RedisServer.isInstalled(), "a sentinel set needs a redis-server on the PATH");
  }

  /**
   * The set that all tests of this JVM share, with replicas. It ends with the JVM. Its sentinels
   * never connect to its servers, so they move no master, and a test can count commands.
   *
   * @return always the same
   */
  public static RedisSentinels shared() {
    assumeInstalled();
    return Shared.SET;
  }

  private static final class Shared {
    static final RedisSentinels SET = blind();

    private static RedisSentinels blind() {
      return new RedisSentinels(List.of(NamingSentinel.BLIND), Duration.ofHours(1));
    }
  }

  private static RedisServer.Builder data(String... arguments) {
    return RedisServer.builder()
        .arguments("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
        .arguments(arguments);
  }

  /** Waits until all sentinels know the whole set, and both replicas have the master's data. */
  public void awaitComplete() {
    Await.until(
        () -> "the set is not complete: " + sentinels.stream().map(this::facts).toList(),
        PATIENCE,
        () -> sentinels.stream().map(this::facts).allMatch(RedisSentinels::isComplete));
  }

  private static boolean isComplete(Map<String, String> facts) {
    return "2".equals(facts.get("num-other-sentinels"))
        && "2".equals(facts.get("num-slaves"))
        && "master".equals(facts.get("flags"));
  }

  /**
   * The name by which the sentinels know the master.
   *
   * @return the same for as long as the set runs
   */
  public String name() {
    return name;
  }

  /**
   * What a sentinel says about the master.
   *
   * @param sentinel one of {@link #sentinels}
   * @return its answer to SENTINEL MASTER
   */
  public Map<String, String> facts(RedisServer sentinel) {
    List<?> words = (List<?>) Objects.requireNonNull(sentinel.command("SENTINEL", "MASTER", name));
    Map<String, String> facts = new HashMap<>();
    for (int i = 0; i < words.size(); i += 2) {
      facts.put(String.valueOf(words.get(i)), String.valueOf(words.get(i + 1)));
    }
    return facts;
  }

  /**
   * The servers with data.
   *
   * @return the first master, and then its replicas
   */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  /**
   * The sentinels.
   *
   * @return three
   */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /**
   * The master, as the first running sentinel knows it.
   *
   * @return one of {@link #servers}
   */
  public RedisServer master() {
    Object place = null;
    for (RedisServer sentinel : sentinels) {
      place = place == null ? placeBy(sentinel) : place;
    }
    String port = place instanceof List<?> pair ? String.valueOf(pair.get(1)) : "none";
    return servers.stream()
        .filter(server -> port.equals(String.valueOf(server.port())))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the master is at port " + port));
  }

  private @Nullable Object placeBy(RedisServer sentinel) {
    return sentinel.isRunning()
        ? sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)
        : null;
  }

  /**
   * Waits for the next master.
   *
   * @param old the master that is to lose its role
   * @return the new master
   */
  public RedisServer masterAfter(RedisServer old) {
    Await.until("another master", PATIENCE, () -> master() != old);
    return master();
  }

  /**
   * The URI of the set.
   *
   * @return {@code redis-sentinel://host:port,…#name}
   */
  public URI uri() {
    return uri("", IntStream.range(0, sentinels.size()).toArray());
  }

  /**
   * A URI that names some sentinels only.
   *
   * @param userInfo {@code user:password} of the servers with data; none if empty
   * @param which the numbers of the sentinels, from 0
   * @return {@code redis-sentinel://[userInfo@]host:port,…#name}
   */
  public URI uri(String userInfo, int... which) {
    String places =
        IntStream.of(which)
            .mapToObj(sentinels::get)
            .map(sentinel -> sentinel.host() + ':' + sentinel.port())
            .collect(Collectors.joining(","));
    String user = userInfo.isEmpty() ? "" : userInfo + '@';
    return URI.create("redis-sentinel://" + user + places + '#' + name);
  }

  /** Ends all processes, paused or not. */
  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }

  @Override
  public String toString() {
    return "RedisSentinels[" + servers + " by " + sentinels + ']';
  }
}
