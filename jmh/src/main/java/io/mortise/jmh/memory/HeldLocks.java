package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;

/**
 * Locks that eight threads hold. Each figure has the lock's handle in it, and not the text of its
 * name, which the program has anyway.
 */
final class HeldLocks implements Load {
  private static final int WARM_UP = 1_000;

  private final String[] names;
  private final Lock[] held;
  private final Owners owners = new Owners(8);
  private final Site site;

  HeldLocks(Order order) {
    names = IntStream.range(0, order.size()).mapToObj(i -> "held-" + i).toArray(String[]::new);
    held = new Lock[order.size()];
    site = order.open();
  }

  @Override
  public void prepare() throws Exception {
    owners.each(WARM_UP, i -> pair(site.lock("warm-up-" + i)));
  }

  static void pair(Lock lock) {
    lock.lock();
    lock.unlock();
  }

  @Override
  public void fill() throws Exception {
    owners.each(
        names.length,
        i -> {
          held[i] = site.lock(names[i]);
          held[i].lock();
        });
  }

  @Override
  public void check() {} // the keys of lost locks are missing in the store

  @Override
  public void close() {
    site.close();
    owners.close();
  }
}
