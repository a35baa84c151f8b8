package io.mortise.conformance.spi;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.Credentials;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server, a cluster and a sentinel whose users change. A user that is deleted takes all of its
 * connections along. The sentinel never connects to the server that it names.
 */
final class ChangingUsers implements AutoCloseable {
  /** The three ways to servers. */
  enum Kind {
    SINGLE,
    CLUSTER,
    SENTINEL
  }

  /** Part of every user's name, of every password, and of nothing else. */
  static final String SECRET = "s3cret-";

  final RedisServer single = RedisServer.start();
  private final RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(15));
  private final RedisServer sentinel;
  private final Users data = new Users();
  private final Users watched = new Users();

  ChangingUsers() {
    sentinel =
        RedisServer.builder()
            .sentinel("bind-source-addr 192.0.2.1") // an address that no machine has
            .start();
    sentinel.command("SENTINEL", "MONITOR", "kit", single.host(), "" + single.port(), "1");
    sentinel.command("SENTINEL", "SET", "kit", "down-after-milliseconds", "3600000");
    data.servers.add(single);
    data.servers.addAll(cluster.nodes());
    watched.servers.add(sentinel);
    data.begin();
    watched.begin();
  }

  URI uri(Kind kind) {
    return URI.create(
        switch (kind) {
          case SINGLE -> single.uri().toString();
          case CLUSTER -> cluster.uri().toString();
          case SENTINEL -> "redis-sentinel://" + sentinel.host() + ':' + sentinel.port() + "#kit";
        });
  }

  /** What is valid now, on servers with data. */
  Supplier<Credentials> ofServers() {
    return () -> data.current;
  }

  /** What is valid now, on the sentinel. */
  Supplier<Credentials> ofSentinels() {
    return () -> watched.current;
  }

  /** From now on there are new users. The old ones stay until {@link #endOld}. */
  void change() {
    data.begin();
    watched.begin();
  }

  /** A new password of the same users. The one before ends at once, and ends no connection. */
  void changePasswords() {
    data.newPassword();
    watched.newPassword();
  }

  /** Waits until all connections have the newest users. */
  void awaitRenewed() {
    data.awaitRenewed();
    watched.awaitRenewed();
  }

  /** Deletes all users but the newest, and so ends their connections. */
  void endOld() {
    data.endOld();
    watched.endOld();
  }

  /** How many AUTH commands the servers of a kind have got; those of this class are among them. */
  long auths() {
    return Arrays.stream(String.valueOf(single.command("INFO", "commandstats")).split("\n"))
        .filter(each -> each.startsWith("cmdstat_auth:"))
        .mapToLong(
            each -> Long.parseLong(each.replaceAll("cmdstat_auth:calls=(\\d+),.*", "$1").strip()))
        .sum();
  }

  @Override
  public void close() {
    single.close();
    cluster.close();
    sentinel.close();
  }

  /** The users of some servers. */
  private static final class Users {
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<String> old = new ArrayList<>();
    private int number;
    volatile Credentials current = Credentials.of("none");

    synchronized void begin() {
      if (current.user() != null) {
        old.add(current.user());
      }
      number++;
      String password = SECRET + "word-" + number;
      String user = SECRET + "user-" + number;
      each("ACL", "SETUSER", user, "on", ">" + password, "~*", "&*", "+@all");
      current = new Credentials(user, password);
    }

    synchronized void newPassword() {
      number++;
      String password = SECRET + "word-" + number;
      each("ACL", "SETUSER", String.valueOf(current.user()), "resetpass", ">" + password);
      current = new Credentials(current.user(), password);
    }

    synchronized void awaitRenewed() {
      for (RedisServer server : servers) {
        Await.until(
            () -> "all have new users: " + server.command("CLIENT", "LIST"),
            Await.patience(),
            () -> {
              String clients = String.valueOf(server.command("CLIENT", "LIST"));
              return old.stream().noneMatch(user -> clients.contains("user=" + user + ' '));
            });
      }
    }

    synchronized void endOld() {
      for (String user : old) {
        each("ACL", "DELUSER", user);
      }
      old.clear();
    }

    private void each(String... words) {
      servers.forEach(server -> server.command(words));
    }
  }
}
