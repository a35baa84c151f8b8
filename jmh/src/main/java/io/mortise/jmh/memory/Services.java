package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.Lock;

/** Services in use, some of them before the measurement: what they share is not measured. */
final class Services implements Load {
  private static final int SHARING = 2;
  private static final int PAIRS = 50;

  private final Order order;
  private final int threads;
  private final Owners users;
  private final List<Site> open = new ArrayList<>();

  Services(Order order, int threads) {
    this.order = order;
    this.threads = threads;
    users = new Owners(threads);
  }

  @Override
  public void prepare() throws Exception {
    add(SHARING);
  }

  @Override
  public void fill() throws Exception {
    add(order.size());
  }

  private void add(int count) throws Exception {
    for (int i = 0; i < count; i++) {
      Site site = order.open();
      open.add(site);
      CyclicBarrier together = new CyclicBarrier(threads);
      users.each(threads, thread -> use(site.lock("used-" + thread), together));
    }
  }

  /** Each thread has a lock of its own, and all use theirs at the same time. */
  private static void use(Lock lock, CyclicBarrier together) {
    try {
      together.await();
    } catch (Exception e) {
      throw new IllegalStateException("the threads did not start together", e);
    }
    for (int i = 0; i < PAIRS; i++) {
      HeldLocks.pair(lock);
    }
  }

  @Override
  public void check() {}

  @Override
  public void close() {
    open.forEach(Site::close);
    users.close();
  }
}
