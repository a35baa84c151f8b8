import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;

/**
 * A process of one version that locks and logs. It is compiled with the older version and runs on
 * both, so it uses only what both have. {@link Checker} explains the log.
 *
 * <p>Arguments: name, version, backend, URI, log file, and {@code load} or {@code steps}.
 */
public final class Worker {
  private static final int THREADS = 6;
  private static final int PERMITS = 3;
  private static final int ALL = 1000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final List<String> LOCKS =
      List.of("plain", "kept", "fair", "fenced", "rw", "permits", "control");

  private final String name;
  private final boolean load;
  private final OutputStream log;
  private final LockService locks;
  private final LockService keeping;
  private final LockService apart;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<String, CountDownLatch> drops = new ConcurrentHashMap<>();
  private volatile boolean finishing;

  private Worker(String[] args) throws IOException {
    name = args[0];
    load = args[5].equals("load");
    log = new FileOutputStream(args[4], true);
    tell("process", name, args[1]);
    locks = service(args, "both:").open();
    keeping = service(args, "both:").retain(Duration.ofMillis(load ? 500 : 5000)).open();
    // As if the versions had different keys: the checker must find that nothing excludes here.
    apart = service(args, "only-" + args[1] + ":").open();
  }

  private LockService.Builder service(String[] args, String prefix) {
    return LockService.builder()
        .provider(args[2])
        .uri(args[3])
        .keyPrefix(prefix)
        .leaseTime(Duration.ofSeconds(load ? 3 : 30));
  }

  public static void main(String[] args) throws Exception {
    Worker worker = new Worker(args);
    worker.say("ready");
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    boolean done = worker.load ? worker.work(orders) : worker.steps(orders);
    if (!done) {
      Runtime.getRuntime().halt(1); // the run has ended, or a lock is stuck
    }
    worker.locks.close();
    worker.keeping.close();
    worker.apart.close();
    worker.tell("end", worker.name);
    System.exit(0);
  }

  // The load: threads that lock at random until they are told to finish.

  private boolean work(BufferedReader orders) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(() -> play(new Random())));
    }
    threads.forEach(Thread::start);
    if (!"finish".equals(orders.readLine())) {
      return false;
    }
    finishing = true;
    for (Thread thread : threads) {
      thread.join();
    }
    return LOCKS.stream().allMatch(this::works);
  }

  /** Whether a lock can still be had. On a slow machine a command may time out. */
  private boolean works(String lock) {
    for (int i = 0; i < 5; i++) {
      if (once(lock, new Random())) {
        return true;
      }
    }
    return false;
  }

  private void play(Random random) {
    while (!finishing) {
      once(LOCKS.get(random.nextInt(LOCKS.size())), random);
      pause(random.nextInt(20));
    }
  }

  private boolean once(String lock, Random random) {
    boolean heavy = random.nextInt(3) == 0;
    int capacity = lock.equals("rw") ? ALL : lock.equals("permits") ? PERMITS : 1;
    int units = lock.equals("rw") ? (heavy ? ALL : 1) : lock.equals("permits") && heavy ? 2 : 1;
    String id = name + "-" + numbers.incrementAndGet();
    try {
      tell("ask", id, lock, units, capacity);
      Hold hold = take(lock, heavy, units);
      if (hold == null) {
        tell("timeout", id);
        return false;
      }
      long before = System.nanoTime();
      long left = hold.left();
      tell("got", id, left == 0 ? 0 : before + left, hold.token());
      pause(random.nextInt(20) == 0 ? 300 : random.nextInt(25));
      long asked = System.nanoTime();
      if (hold.good()) {
        tellAt(asked, "good", id);
      }
      hold.giveBack();
      return true;
    } catch (RuntimeException | InterruptedException e) {
      tell("failed", id, e.getClass().getSimpleName());
      return false;
    }
  }

  private Hold take(String lock, boolean heavy, int units) throws InterruptedException {
    switch (lock) {
      case "permits":
        DistributedSemaphore permits = locks.getSemaphore(lock, PERMITS);
        return permits.tryAcquire(units, PATIENCE).map(Worker::of).orElse(null);
      case "rw":
        DistributedReadWriteLock both = locks.getReadWriteLock(lock);
        return byThread(units == 1 ? both.readLock() : both.writeLock());
      case "fenced":
        return byThread(locks.getFencedLock(lock));
      case "fair":
        return byThread(locks.getFairLock(lock));
      default:
        LockService service =
            lock.equals("kept") ? keeping : lock.equals("control") ? apart : locks;
        DistributedLock plain = service.getLock(lock);
        return heavy ? plain.tryAcquire(PATIENCE).map(Worker::of).orElse(null) : byThread(plain);
    }
  }

  /** What a thread or an object holds. */
  private interface Hold {
    /** For how long it is promised (ns), or 0 without a promise. */
    long left();

    long token();

    boolean good();

    void giveBack();
  }

  private static Hold byThread(DistributedLock lock) throws InterruptedException {
    if (!lock.tryLock(PATIENCE)) {
      return null;
    }
    return new Hold() {
      @Override
      public long left() {
        return 0;
      }

      @Override
      public long token() {
        return lock instanceof FencedLock ? ((FencedLock) lock).fencingToken() : 0;
      }

      @Override
      public boolean good() {
        return lock.isHeldByCurrentThread();
      }

      @Override
      public void giveBack() {
        lock.unlock();
      }
    };
  }

  private static Hold of(Lease lease) {
    return new Hold() {
      @Override
      public long left() {
        return lease.remaining().toNanos();
      }

      @Override
      public long token() {
        return 0;
      }

      @Override
      public boolean good() {
        return lease.isValid();
      }

      @Override
      public void giveBack() {
        lease.close();
      }
    };
  }

  // The steps: one at a time, as ordered, to see that messages reach the other version.

  private boolean steps(BufferedReader orders) throws Exception {
    String line;
    while ((line = orders.readLine()) != null && !line.equals("finish")) {
      String[] order = line.split(" ");
      step(order[0], order[1], order[1].split("-")[0], order.length > 2);
    }
    return line != null;
  }

  private void step(String what, String round, String way, boolean first) throws Exception {
    switch (what) {
      case "take":
        drops.put(round, new CountDownLatch(1));
        start(() -> hold(round, way, first));
        break;
      case "drop":
        drops.remove(round).countDown();
        break;
      case "queued":
        while (locks.status(round).stream().allMatch(status -> status.waiters().isEmpty())) {
          pause(2);
        }
        say("queued");
        break;
      case "held":
        if (locks.status(round).stream().allMatch(status -> status.holders().isEmpty())) {
          tell("free", round);
        }
        say("held");
        break;
      case "await":
        start(() -> await(round));
        break;
      case "signal":
        DistributedLock lock = locks.getLock(round);
        lock.lock();
        tell("cause", round);
        lock.newCondition("rung").signal();
        lock.unlock();
        break;
      case "force":
        tell("cause", round);
        locks.getLock(round).forceUnlock();
        break;
      default:
        throw new IllegalArgumentException(what);
    }
  }

  /**
   * Acquires, and holds until {@code drop}. The first of two holds, and the second waits for it.
   */
  private void hold(String round, String way, boolean first) throws Exception {
    CountDownLatch drop = drops.get(round);
    if (!first) {
      tell(way.equals("wanted") ? "cause" : "start", round);
    }
    Runnable release = take(round, way, first);
    if (!first) {
      tell("effect", round);
    } else if (way.equals("lost") || way.equals("wanted")) {
      tell("start", round);
    }
    say("got");
    drop.await();
    if (first && !way.equals("wanted") && !way.equals("lost")) {
      tell("cause", round);
    }
    try {
      release.run();
    } catch (IllegalMonitorStateException e) {
      if (!way.equals("lost")) {
        throw e;
      }
    }
    say("dropped");
  }

  private Runnable take(String round, String way, boolean first) throws InterruptedException {
    if (way.equals("permit")) {
      return locks.getSemaphore(round, 1).acquire()::close;
    }
    DistributedReadWriteLock both = locks.getReadWriteLock(round);
    DistributedLock lock =
        switch (way) {
          case "fair" -> locks.getFairLock(round);
          case "fenced" -> locks.getFencedLock(round);
          case "write" -> both.writeLock();
          case "read" -> first ? both.writeLock() : both.readLock();
          case "wanted" -> keeping.getLock(round);
          default -> locks.getLock(round);
        };
    lock.lock();
    if (way.equals("lost")) {
      lock.onLeaseLost(change -> {
        tell("effect", round);
        say("lost");
      });
    }
    return lock::unlock;
  }

  private void await(String round) throws InterruptedException {
    DistributedLock lock = locks.getLock(round);
    Condition rung = lock.newCondition("rung");
    lock.lock();
    say("waiting");
    tell("start", round);
    rung.await(20, TimeUnit.SECONDS);
    tell("effect", round);
    lock.unlock();
    say("woken");
  }

  /** A step that may fail. */
  private interface Step {
    void run() throws Exception;
  }

  private void start(Step step) {
    new Thread(
            () -> {
              try {
                step.run();
              } catch (Exception e) {
                e.printStackTrace();
                say("failed");
              }
            })
        .start();
  }

  private static void pause(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized void say(String word) {
    System.out.println(word);
  }

  private void tell(Object... words) {
    tellAt(System.nanoTime(), words);
  }

  /** One write for each line, so a killed process loses none. */
  private void tellAt(long time, Object... words) {
    StringBuilder line = new StringBuilder().append(time);
    for (Object word : words) {
      line.append(' ').append(word);
    }
    try {
      log.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
