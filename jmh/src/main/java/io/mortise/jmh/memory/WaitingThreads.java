package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads in {@code lock()}. The threads are there before, and each has locked something before. So
 * the figures have neither a thread nor what the JDK keeps for one that has used a socket.
 */
final class WaitingThreads implements Load {
  private final Order order;
  private final HeldByOther wanted;
  private final Site site;
  private final CountDownLatch ready;
  private final CountDownLatch begin = new CountDownLatch(1);
  private final Lock oneByOne = new ReentrantLock();
  private final List<Thread> threads = new ArrayList<>();

  WaitingThreads(Order order, int locks) {
    this.order = order;
    wanted = new HeldByOther(order, locks);
    site = order.open();
    ready = new CountDownLatch(order.size());
  }

  @Override
  public void prepare() throws Exception {
    wanted.prepare(site);
    for (int i = 0; i < order.size(); i++) {
      String name = wanted.name(i);
      Thread thread = new Thread(() -> await(name), "waiter-" + i);
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((failed, error) -> {}); // check() sees its end
      thread.start();
      threads.add(thread);
    }
    if (!ready.await(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException(ready.getCount() + " threads could not lock and unlock");
    }
  }

  private void await(String name) {
    oneByOne.lock();
    try {
      HeldLocks.pair(site.lock("warm-up"));
    } finally {
      oneByOne.unlock();
    }
    ready.countDown();
    try {
      begin.await();
    } catch (InterruptedException e) {
      return;
    }
    Lock lock = site.lock(name);
    lock.lock();
  }

  @Override
  public void fill() {
    begin.countDown();
  }

  @Override
  public void check() {
    long ended = threads.stream().filter(thread -> !thread.isAlive()).count();
    if (ended > 0) {
      throw new IllegalStateException(ended + " of " + threads.size() + " threads do not wait");
    }
  }

  @Override
  public void close() {
    begin.countDown();
    site.close();
    wanted.close();
  }
}
