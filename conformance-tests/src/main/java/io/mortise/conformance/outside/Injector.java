package io.mortise.conformance.outside;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.redis.TcpProxy.Direction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Carries out the plan of faults, and logs a line before and after each one. */
final class Injector {
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
  private static final long AWAY = Step.LEASE.plusMillis(300).toMillis();

  private static final int AT_A_TIME = 6;

  private final Log log;
  private final List<Site> sites;
  private final Staff staff;
  private final Set<String> spoiled = ConcurrentHashMap.newKeySet();

  Injector(Log log, List<Site> sites, Staff staff) {
    this.log = log;
    this.sites = sites;
    this.staff = staff;
  }

  /** Carries out the whole plan. Returns when the last fault is over. */
  public void run(List<PlannedFault> plan) throws InterruptedException, ExecutionException {
    ScheduledExecutorService timer = Executors.newScheduledThreadPool(AT_A_TIME);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < plan.size(); i++) {
        PlannedFault fault = plan.get(i);
        String id = "f" + i;
        all.add(timer.schedule(() -> injectAlone(id, fault), fault.at(), TimeUnit.MILLISECONDS));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /** Skips a target that another fault disturbs at the moment. */
  private void injectAlone(String id, PlannedFault fault) {
    if (spoiled.add(fault.target())) {
      try {
        inject(id, fault);
      } finally {
        spoiled.remove(fault.target());
      }
    }
  }

  private void inject(String id, PlannedFault fault) {
    switch (fault.sort()) {
      case KILL, FREEZE -> spoilWorker(id, fault);
      case CUT, HALF_OPEN, LATE_REPLIES, LOST_REPLIES, REFUSE -> spoilLink(id, fault);
      case DELETED -> delete(id, fault, KEYS);
      case COMPANION_DELETED -> delete(id, fault, COMPANIONS);
      case CLOCK_FORWARD, CLOCK_BACK -> stepClock(id, fault);
      default -> spoilServer(id, fault);
    }
  }

  private void spoilWorker(String id, PlannedFault fault) {
    WorkerProcess worker = staff.find(fault.worker());
    if (worker == null) {
      return; // its successor is not ready yet
    }
    Faults.begin(log, id, fault.sort(), "client", worker.name());
    if (fault.sort() == Fault.Sort.KILL) {
      staff.kill(fault.worker());
      Faults.end(log, id);
      sleep(fault.lasts());
      staff.replace(fault.worker());
    } else {
      worker.pause();
      sleep(fault.lasts());
      worker.resume();
      Faults.end(log, id);
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
      sleep(fault.lasts());
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
      sleep(fault.lasts());
      server.resume();
    } else {
      server.kill();
      if (fault.sort() != Fault.Sort.SERVER_RESTART) {
        server.forget();
      }
      sleep(fault.lasts() + (fault.sort() == Fault.Sort.SERVER_AWAY ? AWAY : 0));
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

  private static void sleep(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a run is never interrupted", e);
    }
  }
}
