package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Step.What;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.redis.TcpProxy.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A single server that keeps its data when it is killed, the servers of a Redlock, and a link to
 * each of them for each worker.
 */
final class Servers implements Store {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int RED_SERVERS = 3;

  /** The keys that record the holder of a lock. */
  private static final List<String> KEYS =
      List.of(
          "mortise:lock:{plain}",
          "mortise:lock:{fair}",
          "mortise:lock:{fenced}",
          "mortise:lock:{member-a}",
          "mortise:rw:lock:{read-write}",
          "mortise:rw:readers:{read-write}",
          "mortise:sem:permits:{semaphore}",
          "shared");

  private static final List<String> COMPANIONS =
      List.of(
          "mortise:queue:{plain}",
          "mortise:alive:{plain}",
          "mortise:queue:{fair}",
          "mortise:alive:{fair}",
          "mortise:fence:{fenced}",
          "mortise:rw:queue:{read-write}",
          "mortise:rw:alive:{read-write}",
          "mortise:sem:queue:{semaphore}",
          "mortise:sem:alive:{semaphore}",
          "mortise:redisson:queue:{shared}");

  /** A Redlock requires that a server without its data stays down for the longest lease. */
  private static final long AWAY = LEASE.plusMillis(300).toMillis();

  private final Log log;
  private final List<Site> sites = new ArrayList<>();

  Servers(Log log, int workers) {
    this.log = log;
    sites.add(new Site(WorkerOrders.MAIN, workers, true));
    for (int i = 1; i <= RED_SERVERS; i++) {
      sites.add(new Site(WorkerOrders.red(i), workers, false));
    }
  }

  @Override
  public List<String> uris(int worker) {
    return sites.stream().map(site -> site.link(worker).uri().toString()).toList();
  }

  @Override
  public List<What> locks() {
    return List.of(What.values());
  }

  @Override
  public Duration lease() {
    return LEASE;
  }

  @Override
  public int replicas() {
    return 0;
  }

  @Override
  public List<PlannedFault> plan(long seed, long millis, int workers) {
    return PlannedFault.plan(seed, millis, workers, sites.size());
  }

  @Override
  public void inject(String id, PlannedFault fault) {
    switch (fault.sort()) {
      case CUT, HALF_OPEN, LATE_REPLIES, LOST_REPLIES, REFUSE -> spoilLink(id, fault);
      case DELETED -> delete(id, fault, KEYS);
      case COMPANION_DELETED -> delete(id, fault, COMPANIONS);
      case CLOCK_FORWARD, CLOCK_BACK -> stepClock(id, fault);
      default -> spoilServer(id, fault);
    }
  }

  private void spoilLink(String id, PlannedFault fault) {
    Site site = sites.get(fault.server());
    TcpProxy link = site.link(fault.worker());
    String client = Staff.slot(fault.worker());
    Faults.begin(log, id, fault.sort(), "client", client, "server", site.name());
    switch (fault.sort()) {
      case HALF_OPEN -> link.stall();
      case LATE_REPLIES -> link.stall(Direction.REPLIES);
      case LOST_REPLIES -> link.dropReplies();
      case REFUSE -> {
        link.refuse();
        link.cut();
      }
      default -> link.cut();
    }
    if (fault.sort() != Fault.Sort.CUT) {
      Injector.sleep(fault.lasts());
    }
    link.cut();
    link.resume();
    Faults.end(log, id);
  }

  private void spoilServer(String id, PlannedFault fault) {
    Site site = sites.get(fault.server());
    RedisServer server = site.server();
    Faults.begin(log, id, fault.sort(), "server", site.name());
    if (fault.sort() == Fault.Sort.SERVER_FREEZE) {
      server.pause();
      Injector.sleep(fault.lasts());
      server.resume();
    } else {
      server.kill();
      if (fault.sort() != Fault.Sort.SERVER_RESTART) {
        server.forget();
      }
      Injector.sleep(fault.lasts() + (fault.sort() == Fault.Sort.SERVER_AWAY ? AWAY : 0));
      server.restart();
    }
    Faults.end(log, id);
  }

  private void stepClock(String id, PlannedFault fault) {
    Site site = sites.get(fault.server());
    if (site.hasClock()) {
      boolean forward = fault.sort() == Fault.Sort.CLOCK_FORWARD;
      Faults.begin(log, id, fault.sort(), "server", site.name(), "millis", fault.millis());
      site.stepClock(forward ? fault.millis() : -fault.millis());
      Object unused = site.server().command("PING"); // now the server reads its clock
      Faults.end(log, id);
    }
  }

  private void delete(String id, PlannedFault fault, List<String> keys) {
    Site site = sites.get(fault.server());
    String key = keyToDelete(site, keys, fault.choice());
    String resource = key.substring(key.indexOf('{') + 1).replace("}", "");
    Faults.begin(log, id, fault.sort(), "server", site.name(), "resource", resource, "key", key);
    if (Long.valueOf(0).equals(site.server().command("DEL", key))) {
      Faults.endOfNothing(log, id);
    } else {
      Faults.end(log, id);
    }
  }

  /** The chosen key, or the next one that exists. */
  private static String keyToDelete(Site site, List<String> keys, int choice) {
    List<String> turned = new ArrayList<>(keys);
    Collections.rotate(turned, -(choice % keys.size()));
    return turned.stream()
        .filter(key -> Long.valueOf(1).equals(site.server().command("EXISTS", key)))
        .findFirst()
        .orElse(turned.get(0));
  }

  @Override
  public void tellLeftovers() {
    for (Site site : sites) {
      Leftovers.tell(log, site.name(), site.server());
      Leftovers.tellChannels(log, site.name(), site.server());
    }
  }

  @Override
  public void close() {
    sites.forEach(Site::close);
  }
}
