package io.mortise.conformance.outside;

import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.conformance.outside.Step.What;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A process whose threads acquire and release locks by a plan from its seed, and log what they
 * observe. It prints {@code ready}, answers {@code time}, and works until it reads {@code finish}.
 * Then it acquires each lock once more, closes everything, and ends. At the end of its input it
 * ends at once.
 */
final class Worker {
  static final String READY = "ready";
  static final String TIME = "time";
  static final String FINISH = "finish";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Threads of the kit, and the timer of the JVM, which ends when it was idle for a while. */
  private static final Set<String> SHARED = Set.of("mortise-kit", "mortise-timer");

  private static final long LOOK = 5_000_000L;

  private final WorkerOrders orders;
  private final Log log;
  private final Locks locks;
  private final Interrupter interrupter = new Interrupter();
  private final AtomicLong numbers = new AtomicLong();
  private volatile boolean finishing;

  private Worker(WorkerOrders orders, Log log, Locks locks) {
    this.orders = orders;
    this.log = log;
    this.locks = locks;
  }

  /**
   * Runs the process.
   *
   * @param args as {@link WorkerOrders#toArguments}
   */
  public static void main(String[] args) throws Exception {
    WorkerOrders orders = WorkerOrders.of(args);
    try (Log log = new Log(orders.folder(), orders.name(), orders.origin())) {
      Pulse pulse = new Pulse(log, "client", orders.name());
      try (Locks locks = new Locks(orders)) {
        Calls calls = new Calls(orders);
        new Worker(orders, log, locks).work();
        calls.close();
      }
      tellThreads(log);
      pulse.stop();
      log.tell("done");
    }
    System.exit(0); // threads that a client left are logged already
  }

  private void work() throws Exception {
    Thread reader = new Thread(this::obey, "worker-orders");
    reader.setDaemon(true);
    reader.start();
    System.out.println(READY);
    Crew crew = Crew.start(ThreadKind.PLATFORM, orders.threads(), this::follow);
    while (!finishing) {
      LockSupport.parkNanos(LOOK);
    }
    crew.join(PATIENCE.multipliedBy(2));
    for (What each : orders.locks()) {
      if (!each.isControl()) {
        take(Step.visit(each, PATIENCE), true);
      }
    }
  }

  private void obey() {
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String order = in.readLine(); !FINISH.equals(order); order = in.readLine()) {
        if (!TIME.equals(order)) {
          Runtime.getRuntime().halt(1); // the parent process is gone
        }
        System.out.println(log.now());
      }
      finishing = true;
    } catch (IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }

  private void follow(int thread) {
    Random plan = new Random(orders.seed() + thread);
    for (What each : orders.locks()) {
      if (each.isControl()) {
        take(Step.meet(each), false); // all threads at once, so that the checker has what to find
      }
    }
    while (!finishing) {
      Step step = Step.next(plan, orders.locks(), orders.lease());
      if (step.force()) {
        force(step.what());
      } else {
        take(step, false);
      }
      LockSupport.parkNanos(plan.nextInt(8_000_000));
    }
  }

  private void force(What what) {
    String id = "force-" + numbers.incrementAndGet();
    Faults.begin(log, id, Fault.Sort.FORCED, "resource", String.join(",", Locks.resources(what)));
    try {
      if (!locks.force(what)) {
        Faults.endOfNothing(log, id);
        return;
      }
    } catch (LockException | IllegalStateException e) {
      // It may have happened all the same, or may still happen until the command times out.
    }
    Faults.end(log, id);
  }

  private void take(Step step, boolean must) {
    long number = numbers.incrementAndGet();
    log.tell(Stay.WAIT, orders.describe(step, number, must));
    Interrupter.Alarm alarm = interrupter.in(step.interruptAfter());
    Hold hold = enter(step, number);
    alarm.turnOff();
    if (hold != null) {
      log.tell(Stay.IN, "stay", number, "token", hold.token());
      stay(hold, number, step.stay());
    }
  }

  private @Nullable Hold enter(Step step, long number) {
    try {
      Hold hold = locks.enter(step);
      if (hold == null) {
        log.tell(Stay.NOT, "stay", number, "why", "refused");
      }
      return hold;
    } catch (InterruptedException e) {
      log.tell(Stay.NOT, "stay", number, "why", "interrupted");
    } catch (ExecutionException e) {
      fail(Stay.NOT, number, e.getCause() == null ? e : e.getCause());
    } catch (RuntimeException e) {
      fail(Stay.NOT, number, e);
    }
    return null;
  }

  private void fail(String verb, long number, Throwable e) {
    String what = e.getClass().getSimpleName();
    log.tell(verb, "stay", number, "why", Stay.FAILED, "error", what);
    boolean expected = e instanceof LockException || e instanceof IllegalStateException;
    if (!expected) {
      log.tell("surprise", "name", e.toString());
    }
    LockSupport.parkNanos(20_000_000);
  }

  private void stay(Hold hold, long number, Duration duration) {
    long leave = log.now() + duration.toNanos();
    boolean good = look(hold, number);
    while (good && log.now() < leave) {
      LockSupport.parkNanos(LOOK);
      good = look(hold, number);
    }
    log.tell(Stay.OUT, "stay", number);
    try {
      hold.leave();
      log.tell(Stay.FREE, "stay", number);
    } catch (LeaseLostException e) {
      log.tell(Stay.LOST, "stay", number);
    } catch (RuntimeException e) {
      fail(Stay.FREE, number, e);
    }
  }

  /** A hold that is good when checked was good before, so the time is taken before the check. */
  private boolean look(Hold hold, long number) {
    long before = log.now();
    boolean good = hold.isGood();
    if (good) {
      long promised = hold.promised();
      log.tellAt(before, Stay.OK, "stay", number, "until", promised == 0 ? 0 : before + promised);
    } else {
      log.tell(Stay.LOST, "stay", number);
    }
    return good;
  }

  private static void tellThreads(Log log) {
    List<String> left = new ArrayList<>();
    try {
      Await.until("the threads of the services end", () -> threads(left).isEmpty());
    } catch (AssertionError e) {
      left.forEach(name -> log.tell("thread", "name", name));
    }
  }

  private static List<String> threads(List<String> found) {
    found.clear();
    Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("mortise-") && !SHARED.contains(name))
        .forEach(found::add);
    return found;
  }
}
