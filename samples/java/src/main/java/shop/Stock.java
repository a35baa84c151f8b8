package shop;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import java.util.ArrayList;
import java.util.List;

/** Four workers sell 250 pieces each, and write the number down together. */
public final class Stock {
  private static final int WORKERS = 4;
  private static final int SALES = 250;

  private static int sold; // no atomic: the lock alone protects it

  private Stock() {}

  public static void main(String[] args) throws InterruptedException {
    String uri = System.getProperty("mortise.uri", "memory:sample");
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      Thread worker = new Thread(() -> sell(uri), "worker-" + i);
      worker.start();
      workers.add(worker);
    }
    for (Thread worker : workers) {
      worker.join();
    }
    System.out.printf("sold %d of %d, on %s%n", sold, WORKERS * SALES, uri);
    if (sold != WORKERS * SALES) {
      throw new IllegalStateException("sales are missing");
    }
  }

  /** Each worker opens a service of its own, as a process would. */
  private static void sell(String uri) {
    try (LockService locks = LockService.open(uri)) {
      DistributedLock lock = locks.getLock("stock");
      for (int i = 0; i < SALES; i++) {
        lock.lock();
        try {
          int before = sold;
          Thread.yield(); // without the lock, others would now write too
          sold = before + 1;
        } finally {
          lock.unlock();
        }
      }
    }
  }
}
