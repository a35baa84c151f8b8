package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;
import java.util.List;
import java.util.stream.IntStream;

/** Locks that a second service holds, so that the measured one waits for them. */
final class HeldByOther implements AutoCloseable {
  private static final int THREADS = 16;
  private static final int WARM_UP_PAIRS = 1_000;
  private static final int WARM_UP = 5;
  private static final long UNTIL_WAITING = 100;

  private final List<String> names;
  private final Site holder;

  HeldByOther(Order order, int locks) {
    names = IntStream.range(0, locks).mapToObj(i -> "wanted-" + i).toList();
    holder = order.open();
  }

  /**
   * Locks all. Before that, threads of the measured service have opened its connections, and one
   * has waited for another lock.
   */
  void prepare(Site site) throws Exception {
    try (Owners users = new Owners(THREADS)) {
      users.each(WARM_UP_PAIRS, i -> HeldLocks.pair(site.lock("warm-up-" + i)));
    }
    for (int i = 0; i < WARM_UP; i++) {
      holder.lock("warm-up").lock();
      Thread waiter = new Thread(() -> HeldLocks.pair(site.lock("warm-up")), "warm-up");
      waiter.start();
      Thread.sleep(UNTIL_WAITING);
      holder.lock("warm-up").unlock();
      waiter.join();
    }
    names.forEach(name -> holder.lock(name).lock());
  }

  /** The lock for a waiter. */
  String name(int waiter) {
    return names.get(waiter % names.size());
  }

  @Override
  public void close() {
    holder.close();
  }
}
