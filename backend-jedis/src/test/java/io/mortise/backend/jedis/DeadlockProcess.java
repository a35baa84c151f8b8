package io.mortise.backend.jedis;

import io.mortise.DeadlockException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Crew;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** A process whose threads wait for those of other processes. It breaks deadlocks. */
final class DeadlockProcess {
  static final String HELD = "held";
  static final String GOT = "got";
  static final String BROKEN = "broken";
  static final String DONE = "done";

  private static final int WORKERS = 2;
  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  private DeadlockProcess() {}

  /**
   * Takes one lock and then another, or takes locks in any order for some time.
   *
   * @param args URI; "planted", the first lock and the second; or "random", a seed and the seconds
   */
  public static void main(String[] args) throws Exception {
    System.setErr(System.out); // the test reads the log too
    try (LockService service = LockService.builder().uri(args[0]).breakDeadlocks(true).open()) {
      if (args[1].equals("planted")) {
        planted(service.getLock(args[2]), service.getLock(args[3]));
      } else {
        random(service, Long.parseLong(args[2]), Long.parseLong(args[3]));
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void planted(DistributedLock first, DistributedLock second) throws IOException {
    Thread.currentThread().setName("holder of " + first.name());
    first.lock();
    try {
      say(HELD);
      int unused = System.in.read(); // the test says when to go on
      second.lock();
      second.unlock();
      say(GOT);
    } catch (DeadlockException e) {
      say(BROKEN);
    } finally {
      first.unlock();
    }
  }

  private static void random(LockService service, long seed, long seconds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    Queue<String> went = new ConcurrentLinkedQueue<>();
    Crew.run(
        WORKERS,
        number -> {
          Random random = new Random(seed * WORKERS + number);
          while (System.nanoTime() - end < 0) {
            try {
              takeAll(service, order(random), went);
              went.add(now(DONE));
            } catch (DeadlockException e) {
              went.add(now(BROKEN));
              Thread.sleep(random.nextInt(100));
            }
          }
        });
    went.forEach(DeadlockProcess::say);
  }

  /** What happened, and when. */
  private static String now(String what) {
    return what + ' ' + System.currentTimeMillis();
  }

  private static List<String> order(Random random) {
    List<String> order = new ArrayList<>(NAMES);
    Collections.shuffle(order, random);
    return order;
  }

  /** Takes the first of the names, and with it held all others. */
  private static void takeAll(LockService service, List<String> names, Queue<String> went)
      throws InterruptedException {
    if (names.isEmpty()) {
      Thread.sleep(1);
      return;
    }
    DistributedLock lock = service.getLock(names.get(0));
    lock.lock();
    went.add(now(GOT));
    try {
      takeAll(service, names.subList(1, names.size()), went);
    } finally {
      lock.unlock();
    }
  }
}
