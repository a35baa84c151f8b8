package io.mortise.micrometer;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/**
 * Two services contend on a real Redis for some minutes, and each shows its meters to Prometheus.
 * For a while the work under a lock takes longer. Later the server is frozen for some seconds, and
 * in the end a lock is forced open. {@code docs/metrics.md} shows the run.
 */
final class ContendedRun implements AutoCloseable {
  private static final int NAMES = 3;
  private static final Duration FREEZE = Duration.ofSeconds(5);

  /** One step of a thread that repeats it. */
  private interface Step {
    void run() throws InterruptedException;
  }

  private final RedisServer redis = RedisServer.start();
  private final List<LockService> services = new ArrayList<>();
  private final List<HttpServer> pages = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;
  private volatile int slower = 1;

  ContendedRun() throws IOException {
    for (int i = 0; i < 2; i++) {
      PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
      services.add(
          new MortiseMetrics(registry)
              .open(
                  LockService.builder()
                      .uri(redis.uri().toString())
                      .provider("jedis")
                      .leaseTime(Duration.ofSeconds(12))
                      .commandTimeout(Duration.ofSeconds(1))));
      pages.add(page(registry));
    }
  }

  private static HttpServer page(PrometheusMeterRegistry registry) throws IOException {
    HttpServer page =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    page.createContext(
        "/metrics",
        exchange -> {
          byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    page.start();
    return page;
  }

  /** The addresses with the meters of each service. */
  List<String> targets() {
    return pages.stream().map(page -> "127.0.0.1:" + page.getAddress().getPort()).toList();
  }

  /** Runs, and returns when all threads have ended. */
  void run(Duration length) throws InterruptedException {
    for (LockService locks : services) {
      contend(locks);
    }
    long part = length.toMillis() / 6;
    Thread.sleep(part);
    slower = 8;
    Thread.sleep(part);
    slower = 1;
    Thread.sleep(part);
    redis.pause();
    Thread.sleep(FREEZE.toMillis());
    redis.resume();
    Thread.sleep(part);
    services.get(0).getLock("leader").forceUnlock();
    Thread.sleep(2 * part - FREEZE.toMillis());
    ended = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void contend(LockService locks) {
    for (int i = 0; i < NAMES; i++) {
      Lock order = locks.getLock("orders:" + i);
      repeat(() -> hold(order, 4));
      repeat(() -> hold(order, 4));
    }
    Lock report = locks.getFairLock("reports:daily");
    repeat(() -> tryToHold(report, 30));
    repeat(() -> tryToHold(report, 30));
    DistributedReadWriteLock prices = locks.getReadWriteLock("prices");
    repeat(() -> hold(prices.readLock(), 6));
    repeat(() -> hold(prices.readLock(), 6));
    repeat(() -> hold(prices.writeLock(), 3));
    DistributedSemaphore printers = locks.getSemaphore("printers", 2);
    repeat(() -> print(printers));
    repeat(() -> print(printers));
    repeat(() -> lead(locks));
  }

  private void repeat(Step step) {
    Thread thread = new Thread(() -> repeatUntilEnd(step), "worker-" + threads.size());
    threads.add(thread);
    thread.start();
  }

  private void repeatUntilEnd(Step step) {
    while (!ended) {
      try {
        step.run();
        work(10);
      } catch (LockException | IllegalMonitorStateException | CompletionException e) {
        // The server is frozen, or the lock was lost. The meters count it.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Sleeps, as work does that waits for something else. */
  private static void work(int millis) throws InterruptedException {
    Thread.sleep(ThreadLocalRandom.current().nextInt(1, 2 * millis));
  }

  private void hold(Lock lock, int millis) throws InterruptedException {
    lock.lock();
    try {
      work(millis * slower);
    } finally {
      lock.unlock();
    }
  }

  private static void tryToHold(Lock lock, int millis) throws InterruptedException {
    if (lock.tryLock(50, TimeUnit.MILLISECONDS)) {
      try {
        work(millis);
      } finally {
        lock.unlock();
      }
    }
  }

  private static void print(DistributedSemaphore printers) throws InterruptedException {
    Optional<Lease> permit = printers.tryAcquire(Duration.ofSeconds(1));
    if (permit.isPresent()) {
      try {
        work(20);
      } finally {
        permit.get().close();
      }
    }
  }

  /** One service leads until its lock is lost, and the other one waits. */
  private void lead(LockService locks) throws InterruptedException {
    Lease leading = locks.getLock("leader").async().acquire().join();
    try (leading) {
      while (!ended && leading.state() != LeaseState.LOST) {
        Thread.sleep(100);
      }
    }
  }

  @Override
  public void close() {
    services.forEach(LockService::close);
    pages.forEach(page -> page.stop(0));
    redis.close();
  }

  public static void main(String[] args) throws Exception {
    try (ContendedRun run = new ContendedRun()) {
      run.targets().forEach(System.out::println);
      run.run(Duration.ofSeconds(Long.parseLong(args[0])));
    }
  }
}
