package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.HostNames;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The name of a single server that gets another address while a service is open, as at a failover
 * by DNS. The service is in a process of its own, whose names the test moves. A proxy at each
 * address of this machine stands for a server of that address.
 */
public abstract class MovedServerConformance implements RedisKit {
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration LATE = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  static final String FIRST = "127.0.0.2";
  static final String SECOND = "127.0.0.3";
  static final String THIRD = "127.0.0.4";

  private final String name = "moved-" + UUID.randomUUID();
  private final List<AutoCloseable> opened = new ArrayList<>();
  HostNames names;

  /** For the subclass that the author of a backend writes. */
  protected MovedServerConformance() {}

  @BeforeEach
  void makeNames() {
    HostNames.assumeSeveralAddresses();
    names = closing(new HostNames());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  <T extends AutoCloseable> T closing(T resource) {
    opened.add(0, resource);
    return resource;
  }

  /**
   * The main class of the process. Override it for a client that does not ask the JVM for the
   * addresses of names.
   *
   * @return a class whose main method calls {@link RemoteLock#serve}
   */
  protected Class<?> process() {
    return RemoteLock.class;
  }

  RemoteLock open(String uri) {
    RemoteLock.Way way = new RemoteLock.Way(process(), names.options(), URI.create(uri));
    return closing(RemoteLock.start(way, this, name, LEASE));
  }

  static long locks(RemoteLock lock) {
    long start = System.nanoTime();
    Await.until("it locks", PATIENCE, () -> lock.ask("lock").equals("lock"));
    assertEquals("unlock", lock.ask("unlock"));
    return (System.nanoTime() - start) / 1_000_000;
  }

  static boolean listens(RedisServer server) {
    Object channels = server.command("PUBSUB", "CHANNELS", "mortise:mail:*");
    return channels instanceof List<?> list && !list.isEmpty();
  }

  RedisServer follower(RedisServer master) {
    RedisServer replica =
        closing(RedisServer.builder().arguments("--repl-diskless-sync-delay", "0").start());
    follow(replica, master);
    return replica;
  }

  private static void follow(RedisServer replica, RedisServer master) {
    replica.command("REPLICAOF", master.host(), String.valueOf(master.port()));
    Await.until(
        "the replica follows",
        () ->
            String.valueOf(replica.command("INFO", "replication"))
                .contains("master_link_status:up"));
  }

  @Test
  @Rule({"B14", "B23"})
  @DisplayName(
      "B23: a name of a single server is looked up anew, whatever became of the old server")
  void theNameOfAServer(Figures figures) {
    RedisServer one = closing(RedisServer.start());
    RedisServer two = follower(one);
    int port = one.port();
    closing(TcpProxy.at(FIRST, port, one));
    TcpProxy second = closing(TcpProxy.at(SECOND, port, two));
    names.lead("store.test", FIRST);
    RemoteLock lock = open("redis://store.test:" + port);
    locks(lock);

    two.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", SECOND);
    one.command("REPLICAOF", two.host(), String.valueOf(two.port())); // and nobody is cut off
    figures.add("the old server is a replica: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the second server", () -> listens(two));

    RedisServer three = follower(two);
    TcpProxy third = closing(TcpProxy.at(THIRD, port, three));
    three.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", THIRD);
    second.stall();
    figures.add("the old server is silent: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the third server", () -> listens(three));

    second.close();
    follow(two, three);
    closing(TcpProxy.at(SECOND, port, two));
    two.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", SECOND);
    third.close();
    figures.add("the old server is gone: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the second server again", () -> listens(two));
  }

  @Test
  @Rule({"B11", "B14", "B23"})
  @DisplayName("B23: messages follow a name that moves seconds after its server became a replica")
  void aNameThatMovesLate(Figures figures) {
    RedisServer one = closing(RedisServer.start());
    RedisServer two = follower(one);
    int port = one.port();
    closing(TcpProxy.at(FIRST, port, one));
    closing(TcpProxy.at(SECOND, port, two));
    names.lead("store.test", FIRST);
    RemoteLock lock = open("redis://store.test:" + port);
    locks(lock);

    two.command("REPLICAOF", "NO", "ONE");
    one.command("REPLICAOF", two.host(), String.valueOf(two.port()));
    tryFor(LATE, lock);
    assertTrue(refusals(one) > 0, "the replica has refused no call");

    names.lead("store.test", SECOND);
    long start = System.nanoTime();
    if (!lock.answer().equals("lock")) {
      Await.until("it locks", PATIENCE, () -> lock.ask("lock").equals("lock"));
    }
    assertEquals("unlock", lock.ask("unlock"));
    figures.add(
        "the name moved late: next lock, ms",
        String.valueOf((System.nanoTime() - start) / 1_000_000));
    Await.until("it listens at the second server", () -> listens(two));
    Await.until("and no more at the first", () -> !listens(one));
  }

  /** Tries to lock for a while, whether a try fails at once or goes on. The last try is open. */
  private static void tryFor(Duration time, RemoteLock lock) {
    long end = System.nanoTime() + time.toNanos();
    lock.tell("lock");
    while (System.nanoTime() < end) {
      if (lock.hasAnswered()) {
        assertNotEquals("lock", lock.answer());
        lock.tell("lock");
      }
      LockSupport.parkNanos(50_000_000);
    }
  }

  /** How many calls a server has refused because it is a replica. */
  private static int refusals(RedisServer server) {
    String told = String.valueOf(server.command("INFO", "errorstats"));
    Matcher count = Pattern.compile("errorstat_(?:READONLY|MASTERDOWN):count=(\\d+)").matcher(told);
    int all = 0;
    while (count.find()) {
      all += Integer.parseInt(count.group(1));
    }
    return all;
  }
}
