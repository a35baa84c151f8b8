package io.mortise.conformance.outside;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices and logs every promotion of a replica: those that a fault of the run caused, and those
 * that a busy machine caused. Each node is asked for its own role. So a promotion lies between the
 * last time that all old masters said so, and the first time that only the new ones did.
 */
final class MasterWatch implements AutoCloseable {
  private static final long BEAT = 100_000_000L;

  /** A node that is frozen must not stop the watch. */
  private static final Duration ANSWER = Duration.ofMillis(300);

  /** Sentinels on a machine that was busy for two seconds replace no master for 30 s. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Log log;
  private final Group group;
  private final List<String> locks;
  private final Thread thread;
  private volatile Set<RedisServer> masters = Set.of();
  private volatile boolean stopped;
  private int number;

  MasterWatch(Log log, Group group, List<String> locks) {
    this.log = log;
    this.group = group;
    this.locks = locks;
    List<String> unused = group.locksOf(group.nodes().get(0), locks); // asks now, while all answer
    thread = new Thread(this::watch, "master-watch");
    thread.setDaemon(true);
    thread.start();
    Await.until("the masters are known", PATIENCE, () -> !masters.isEmpty());
  }

  /** The present masters; the old ones until the new ones are known. */
  List<RedisServer> masters() {
    return group.nodes().stream().filter(masters::contains).toList();
  }

  /** Waits until a master was replaced. */
  void awaitReplacementOf(RedisServer master) {
    Await.until("another master", PATIENCE, () -> !masters.contains(master));
  }

  private void watch() {
    long sure = log.now();
    while (!stopped) {
      long asked = log.now();
      Set<RedisServer> now = askAll();
      if (now.size() == group.masters()) {
        if (!masters.isEmpty() && !masters.equals(now)) {
          tell(sure, now);
        }
        masters = now;
        sure = asked;
      }
      LockSupport.parkNanos(BEAT);
    }
  }

  private void tell(long from, Set<RedisServer> now) {
    String id = "promotion-" + ++number;
    Span time = new Span(from, log.now());
    Faults.tell(log, id, time, Fault.Sort.PROMOTION, "server", WorkerOrders.MAIN);
    List<String> affected =
        now.stream()
            .filter(node -> !masters.contains(node))
            .flatMap(node -> group.locksOf(node, locks).stream())
            .toList();
    if (!affected.isEmpty()) {
      String resources = String.join(",", affected);
      Faults.tell(
          log,
          id + "-writes",
          time,
          Fault.Sort.LAST_WRITES_LOST,
          "server",
          WorkerOrders.MAIN,
          "resource",
          resources);
    }
  }

  private Set<RedisServer> askAll() {
    Set<RedisServer> found = new HashSet<>();
    for (RedisServer node : group.nodes()) {
      try (RespConnection link = new RespConnection(node.host(), node.port(), ANSWER)) {
        if (link.call("ROLE") instanceof List<?> role && "master".equals(role.get(0))) {
          found.add(node);
        }
      } catch (IOException | RespException e) {
        // It is down, frozen or slow.
      }
    }
    return found;
  }

  /** Ends the watch. Nothing is logged afterwards. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
