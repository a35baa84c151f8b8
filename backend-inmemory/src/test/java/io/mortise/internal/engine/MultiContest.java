package io.mortise.internal.engine;

import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.internal.concurrent.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Two to four threads of one or several services want several locks each, in one schedule. Most try
 * without waiting, and some wait without end. A winner keeps its locks. So only the contenders hold
 * members, and one of them must win.
 */
final class MultiContest {
  /** How the contenders try. */
  enum Way {
    AS_THE_LIBRARY_DOES,
    /** Member by member in a random order, to see that the test finds the defect. */
    IN_ANY_ORDER
  }

  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  private final Random random;
  private final Schedule schedule;
  private final Way way;
  private final ExploredStore store;
  private final List<ExploredService> services = new ArrayList<>();
  private final List<Set<String>> wins = new ArrayList<>();
  private final List<String> patient = new ArrayList<>();
  private final List<Lease> leases = new ArrayList<>();

  MultiContest(long seed, Way way) {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.way = way;
    schedule = new Schedule(random);
    schedule.withoutInterrupts();
    store = new ExploredStore(schedule);
    for (String name : List.of("A", "B", "C").subList(0, 1 + random.nextInt(3))) {
      services.add(new ExploredService(name, schedule, store, false, () -> false, () -> false));
    }
  }

  /** Runs the contest, and throws if it finds a violation. */
  void run() {
    List<List<String>> wishes = wishes(2 + random.nextInt(3));
    for (int i = 0; i < wishes.size(); i++) {
      String name = "contender-" + i;
      List<String> wish = wishes.get(i);
      LockService service = services.get(random.nextInt(services.size())).service();
      boolean waits = way == Way.AS_THE_LIBRARY_DOES && random.nextInt(8) == 0;
      if (waits) {
        patient.add(name);
      }
      schedule.add(name, () -> contend(service, wish, waits));
    }
    try {
      schedule.run(Duration.ZERO);
      check(!wins.isEmpty(), "no contender has won");
      List<String> unfinished = new ArrayList<>(schedule.unfinished());
      unfinished.removeAll(patient);
      check(unfinished.isEmpty(), unfinished + " wait");
      checkHeld();
    } catch (AssertionError e) {
      throw new AssertionError(
          e.getMessage() + "\ncontenders want " + wishes + "\nin the schedule " + schedule, e);
    }
  }

  /** The same locks for all, a chain, a circle, or a random choice. */
  private List<List<String>> wishes(int contenders) {
    int kind = random.nextInt(4);
    List<List<String>> wishes = new ArrayList<>();
    for (int i = 0; i < contenders; i++) {
      wishes.add(
          switch (kind) {
            case 0 -> NAMES.subList(0, 2);
            case 1 -> List.of(NAMES.get(i % 3), NAMES.get(i % 3 + 1));
            case 2 -> List.of(NAMES.get(i), NAMES.get((i + 1) % contenders));
            default -> {
              List<String> any = new ArrayList<>(NAMES);
              Collections.shuffle(any, random);
              yield any.subList(0, 2 + random.nextInt(2));
            }
          });
    }
    return wishes;
  }

  private void contend(LockService service, List<String> wish, boolean waits) throws Exception {
    LeasedLock[] members =
        wish.stream().map(name -> member(service, name)).toArray(LeasedLock[]::new);
    boolean won =
        switch (way) {
          case AS_THE_LIBRARY_DOES ->
              waits ? lock(MultiLock.of(members)) : tries(MultiLock.of(members));
          case IN_ANY_ORDER -> triesOneByOne(members);
        };
    if (won) {
      wins.add(new HashSet<>(wish));
    }
  }

  private LeasedLock member(LockService service, String name) {
    boolean fair = random.nextInt(4) == 0;
    LeasedLock lock = fair ? service.getFairLock(name) : service.getLock(name);
    return random.nextInt(4) == 0 ? lock.withLease(Duration.ofSeconds(20)) : lock;
  }

  private static boolean lock(MultiLock lock) {
    lock.lock();
    return true;
  }

  private boolean tries(MultiLock lock) throws InterruptedException {
    int how = random.nextInt(3);
    if (how == 0) {
      return lock.tryLock();
    }
    Optional<Lease> lease =
        how == 1
            ? lock.tryAcquire(Duration.ZERO)
            : Futures.join(lock.async().tryAcquire(), schedule);
    lease.ifPresent(leases::add);
    return lease.isPresent();
  }

  private static boolean triesOneByOne(LeasedLock[] members) {
    List<LeasedLock> held = new ArrayList<>();
    for (LeasedLock each : members) {
      if (!each.tryLock()) {
        held.forEach(LeasedLock::unlock);
        return false;
      }
      held.add(each);
    }
    return true;
  }

  /** Winners share no member. Winners hold theirs, and only a waiter may hold others. */
  private void checkHeld() {
    Set<String> won = new HashSet<>();
    for (Set<String> each : wins) {
      check(Collections.disjoint(won, each), "two have won: " + wins);
      won.addAll(each);
    }
    LockService any = services.get(0).service();
    for (String name : NAMES) {
      boolean held = any.getLock(name).isLocked();
      boolean wanted = won.contains(name);
      check(held || !wanted, name + " was won and is free");
      check(wanted || !held || !patient.isEmpty(), name + " is held by a loser");
    }
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }
}
