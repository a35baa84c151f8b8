package io.mortise.conformance.redis;

import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A real redis-server for tests, on a free port of this machine, without persistence. It ends with
 * {@link #close}, at the latest with the JVM. With {@code -Dmortise.redis=testcontainers} it runs
 * in a container. Not thread-safe, except for {@link #command} and the methods that use it.
 */
public final class RedisServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Pattern WRITTEN = Pattern.compile("master_repl_offset:(\\d+)");
  private static final Pattern REPLICATED = Pattern.compile("state=online,offset=(\\d+)");

  /** The redis-server to run. */
  public enum Binary {
    /** The one on the {@code PATH}, or else the embedded one. */
    INSTALLED,
    /** Redis 6.2, the oldest that Mortise supports, from the embedded-redis library. */
    EMBEDDED
  }

  private final Node node;
  private final @Nullable String password;

  private RedisServer(Node node, @Nullable String password) {
    this.node = node;
    this.password = password;
  }

  /**
   * Starts the installed server without further settings.
   *
   * @return a server that answers
   */
  public static RedisServer start() {
    return builder().start();
  }

  /**
   * Starts a server with settings.
   *
   * @return a builder; {@link Builder#start} ends it
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Whether a server here can have a {@linkplain Builder#movableClock movable clock}: on Linux,
   * with a C compiler, and not in a container.
   *
   * @return whether tests that step a clock can run
   */
  public static boolean canHaveMovableClock() {
    return !isInContainer() && ServerClock.isPossible();
  }

  /**
   * Whether there is a redis-server on the {@code PATH}, for servers that must reach each other.
   *
   * @return false also if servers run in containers
   */
  static boolean isInstalled() {
    return !isInContainer() && Binaries.isInstalled();
  }

  private static boolean isInContainer() {
    return "testcontainers".equals(System.getProperty("mortise.redis"));
  }

  /**
   * The server's host.
   *
   * @return an address of this machine
   */
  public String host() {
    return node.host();
  }

  /**
   * The server's port.
   *
   * @return the same after a restart
   */
  public int port() {
    return node.port();
  }

  /**
   * The server's URI, with the password if it has one.
   *
   * @return {@code redis://[:password@]host:port}
   */
  public URI uri() {
    return uri(password == null ? "" : ":" + password);
  }

  /**
   * The server's URI for another user.
   *
   * @param userInfo {@code user:password}; none if empty
   * @return {@code redis://[userInfo@]host:port}
   */
  public URI uri(String userInfo) {
    return URI.create(
        "redis://" + (userInfo.isEmpty() ? "" : userInfo + '@') + host() + ':' + port());
  }

  /**
   * The server's process.
   *
   * @return its id
   */
  public long pid() {
    return node.pid();
  }

  /**
   * Whether the process runs, paused or not.
   *
   * @return false after {@link #kill} and {@link #close}
   */
  public boolean isRunning() {
    return node.isRunning();
  }

  /** Stops the process (SIGSTOP). Its connections stay open, and nothing answers. */
  public void pause() {
    node.pause();
  }

  /** Continues a paused process (SIGCONT). */
  public void resume() {
    node.resume();
  }

  /**
   * Steps the server's wall clock, also while a script runs. Monotonic time goes on.
   *
   * @param by how far; back if negative
   * @throws IllegalStateException it was not started with {@link Builder#movableClock}
   */
  public void stepClock(Duration by) {
    node.stepClock(by);
  }

  /** Kills the process (SIGKILL), paused or not, and waits for its end. */
  public void kill() {
    node.kill();
  }

  /**
   * Kills the process and starts a new one on the same port. It has no data, unless the arguments
   * ask for persistence.
   */
  public void restart() {
    node.kill();
    launch();
  }

  /**
   * Removes the data on disk of a killed server, so that it comes back with none. Only useful with
   * arguments that ask for persistence.
   */
  public void forget() {
    node.forget();
  }

  /** Ends the server and removes its files. Idempotent. */
  public void stop() {
    node.dispose();
  }

  /** The same as {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  /**
   * Runs one command on a connection of its own.
   *
   * @param words the command and its arguments
   * @return the reply, as {@link RespConnection} decodes it
   * @throws RespException the reply is an error
   * @throws UncheckedIOException the server does not answer
   */
  public @Nullable Object command(String... words) {
    try (RespConnection connection = new RespConnection(host(), port(), PATIENCE)) {
      if (password != null) {
        connection.call("AUTH", password);
      }
      return connection.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(words[0] + " to " + this + ": " + e.getMessage(), e);
    }
  }

  /**
   * The number of calls of each command since the start or the last reset. Commands inside scripts
   * count. INFO, CONFIG and AUTH do not, because this class uses them itself. PSYNC and REPLCONF do
   * not, because only replicas use them.
   *
   * @return calls by lower-case name, as INFO commandstats has it
   */
  public Map<String, Long> commandCounts() {
    return CommandStats.parse(String.valueOf(command("INFO", "commandstats")));
  }

  /** Sets all command counts to zero. */
  public void resetCounts() {
    command("CONFIG", "RESETSTAT");
  }

  /**
   * Waits until at least one replica follows, and every one that does has all that this server has
   * written by now. WAIT on a new connection does not say that: it waits for that connection's own
   * writes, and there are none.
   */
  public void awaitReplicas() {
    long written = offsets(WRITTEN).max().orElseThrow();
    Await.until(
        "the replicas of " + this + " have all",
        () -> offsets(REPLICATED).min().orElse(-1) >= written);
  }

  private LongStream offsets(Pattern pattern) {
    return pattern
        .matcher(String.valueOf(command("INFO", "replication")))
        .results()
        .mapToLong(result -> Long.parseLong(result.group(1)));
  }

  /**
   * All keys of the server.
   *
   * @return their names, sorted
   */
  public Set<String> keys() {
    Set<String> keys = new TreeSet<>();
    if (command("KEYS", "*") instanceof List<?> found) {
      found.forEach(key -> keys.add(String.valueOf(key)));
    }
    return keys;
  }

  /**
   * How many are in a sorted set, such as the queue of a lock. Members with a score below zero do
   * not count: they do not wait.
   *
   * @param key its name
   * @return their number, or 0 if there is no such key
   */
  public long sizeOf(String key) {
    return command("ZCOUNT", key, "0", "+inf") instanceof Long size ? size : -1;
  }

  @Override
  public String toString() {
    return "RedisServer[" + host() + ':' + port() + (node.isRunning() ? "]" : ", not running]");
  }

  private void launch() {
    Startup.await(node, PATIENCE, this::answers);
  }

  private boolean answers() {
    try {
      return "PONG".equals(command("PING"));
    } catch (UncheckedIOException | RespException e) {
      return false;
    }
  }

  /** Settings of a server to start. */
  public static final class Builder {
    private Binary binary = Binary.INSTALLED;
    private @Nullable String password;
    private boolean movableClock;
    private final List<String> sentinel = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();

    private Builder() {}

    /**
     * The redis-server to run.
     *
     * @param which installed by default
     * @return this builder
     */
    public Builder binary(Binary which) {
      binary = which;
      return this;
    }

    /**
     * The default user's password.
     *
     * @param secret none by default
     * @return this builder
     */
    public Builder password(String secret) {
      password = secret;
      return arguments("--requirepass", secret);
    }

    /**
     * Makes the server's wall clock movable, see {@link RedisServer#canHaveMovableClock}.
     *
     * @return this builder
     */
    public Builder movableClock() {
      movableClock = true;
      return this;
    }

    /**
     * Makes it a sentinel.
     *
     * @param lines its configuration, such as {@code "sentinel monitor mymaster 127.0.0.1 6379 2"}
     * @return this builder
     */
    public Builder sentinel(String... lines) {
      sentinel.addAll(Arrays.asList(lines));
      return this;
    }

    /**
     * Adds command line arguments, one word each, such as {@code "--user", "alice", "on",
     * ">secret", "~*", "&*", "+@all"}.
     *
     * @param more added to earlier ones
     * @return this builder
     */
    public Builder arguments(String... more) {
      arguments.addAll(Arrays.asList(more));
      return this;
    }

    /**
     * Starts the server and waits until it answers.
     *
     * @return a running server
     * @throws IllegalStateException it did not start; the message has its output
     */
    public RedisServer start() {
      Node node =
          isInContainer()
              ? new ContainerNode(binary, arguments)
              : new ChildNode(Binaries.of(binary), sentinel, arguments, movableClock);
      RedisServer server = new RedisServer(node, password);
      server.launch();
      return server;
    }
  }
}
