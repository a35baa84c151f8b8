package io.mortise.internal.engine;

import io.mortise.internal.wire.Probe;
import io.mortise.internal.wire.Probe.Hop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One random schedule: threads of a few processes that take locks in any order, and the probes that
 * {@link Walks} sends between them. It knows the truth, so it notices what is told and was not
 * true. The same number gives the same schedule. All times are in milliseconds.
 */
final class WalksSchedule {
  private static final int LOOK = 2_000;
  private static final int END = 40_000;
  private static final int RENEWAL = 10_000;

  /** A wait that has lasted so long, in a circle, has been seen at three looks. */
  private static final int THREE_LOOKS = 4 * LOOK + 1_000;

  /** A thread's hold, with the time when it was true in the store. */
  private static final class Held {
    final String id;
    final int lock;
    final Worker thread;
    final long from;
    long end = Long.MAX_VALUE;

    Held(String id, int lock, Worker thread, long from) {
      this.id = id;
      this.lock = lock;
      this.thread = thread;
      this.from = from;
    }
  }

  private static final class Wait {
    final String id;
    final Worker thread;
    final int lock;
    final boolean reads;
    final long from;
    long end = Long.MAX_VALUE;

    Wait(String id, Worker thread, int lock, boolean reads, long from) {
      this.id = id;
      this.thread = thread;
      this.lock = lock;
      this.reads = reads;
      this.from = from;
    }
  }

  private static final class Lock {
    final List<Held> holders = new ArrayList<>();
    final Deque<Wait> queue = new ArrayDeque<>();
    boolean read;
  }

  private static final class Worker {
    final int number;
    final int process;

    /** What its process believes that it holds. */
    final List<Held> held = new ArrayList<>();

    @Nullable Wait wait;

    /** Whether the last look did not find it at its gate. */
    boolean missed;

    Worker(int number, int process) {
      this.number = number;
      this.process = process;
    }
  }

  private record Event(long at, long order, Runnable run) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime == 0 ? Long.compare(order, other.order) : byTime;
    }
  }

  /** A thread that holds and waits. */
  private final class Blocked implements Walks.Waiting {
    final Wait wait;
    final Held held;

    Blocked(Wait wait, Held held) {
      this.wait = wait;
      this.held = held;
    }

    @Override
    public String waitId() {
      return wait.id;
    }

    @Override
    public Hop hop(boolean detailed) {
      return new Hop(held.id, wait.id, "");
    }

    @Override
    public void send(Probe probe) {
      if (!isLost()) {
        later(delay(), () -> post(probe, wait.lock));
      }
    }
  }

  private final Random random;
  private final boolean faults;
  private final boolean readers;
  private final boolean breaks;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Lock> locks = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Walks<Blocked>> processes = new ArrayList<>();
  private final long[] clocks;
  private final Map<String, List<Held>> holds = new HashMap<>();
  private final Map<String, Wait> waits = new HashMap<>();
  private final Set<List<String>> told = new HashSet<>();
  private final List<String> broken = new ArrayList<>();
  private long now;
  private long order;
  private int ids;

  /**
   * @param faults whether messages are late or lost, and locks are forced open
   */
  WalksSchedule(long number, boolean faults) {
    random = new Random(number);
    this.faults = faults;
    readers = random.nextInt(3) == 0;
    breaks = random.nextInt(4) == 0;
    int size = 2 + random.nextInt(3);
    clocks = new long[size];
    for (int i = 0; i < size; i++) {
      clocks[i] = 1_000_000L + random.nextInt(5_000);
      processes.add(new Walks<>("p" + i, this::tell));
      looks(i, random.nextInt(LOOK));
    }
    for (int i = 3 + random.nextInt(3); i > 0; i--) {
      locks.add(new Lock());
    }
    for (int i = 3 + random.nextInt(4); i > 0; i--) {
      Worker worker = new Worker(i, random.nextInt(size));
      workers.add(worker);
      acts(worker);
    }
    if (faults) {
      later(random.nextInt(5_000), this::force);
    }
  }

  /** What was wrong; empty if all that was told was true, and all that lasted was told. */
  List<String> run() {
    while (!events.isEmpty() && events.peek().at <= END) {
      Event next = events.remove();
      now = next.at;
      next.run.run();
    }
    now = END;
    if (!faults && !readers) {
      workers.forEach(this::checkFound);
    }
    return broken;
  }

  int told() {
    return told.size();
  }

  private void later(long delay, Runnable run) {
    events.add(new Event(now + delay, order++, run));
  }

  private int delay() {
    return faults && random.nextInt(10) == 0 ? random.nextInt(3_000) : random.nextInt(50);
  }

  private boolean isLost() {
    return faults && random.nextInt(50) == 0;
  }

  // Threads and locks

  private void acts(Worker worker) {
    later(1 + random.nextInt(800), () -> act(worker));
  }

  private void act(Worker worker) {
    if (worker.wait != null) {
      return; // it goes on when its wait ends
    }
    if (!worker.held.isEmpty() && random.nextInt(5) < 2) {
      release(worker.held.get(random.nextInt(worker.held.size())));
    } else {
      int lock = random.nextInt(locks.size());
      if (worker.held.stream().noneMatch(each -> each.lock == lock)) {
        take(worker, lock);
      }
    }
    if (worker.wait == null) {
      acts(worker);
    }
  }

  private void take(Worker worker, int lock) {
    boolean reads = readers && random.nextBoolean();
    String id = "%016x.%x".formatted(now + clocks[worker.process], worker.number);
    Wait wait = new Wait(id, worker, lock, reads, now);
    worker.wait = wait;
    waits.put(id, wait);
    locks.get(lock).queue.add(wait);
    grant(lock);
    if (worker.wait == wait && random.nextInt(2) == 0) {
      later(random.nextInt(30_000), () -> giveUp(wait));
    }
  }

  private void giveUp(Wait wait) {
    if (wait.end == Long.MAX_VALUE) {
      wait.end = now;
      wait.thread.wait = null;
      locks.get(wait.lock).queue.remove(wait);
      grant(wait.lock);
      acts(wait.thread);
    }
  }

  private void grant(int number) {
    Lock lock = locks.get(number);
    while (!lock.queue.isEmpty()) {
      Wait first = lock.queue.peek();
      if (!lock.holders.isEmpty() && !(lock.read && first.reads)) {
        return;
      }
      lock.queue.remove();
      lock.read = first.reads;
      first.end = now;
      hold("p" + first.thread.process + ':' + ids++, first);
    }
  }

  private void hold(String id, Wait got) {
    Held held = new Held(id, got.lock, got.thread, now);
    locks.get(got.lock).holders.add(held);
    got.thread.held.add(held);
    got.thread.wait = null;
    holds.computeIfAbsent(id, key -> new ArrayList<>(1)).add(held);
    acts(got.thread);
  }

  private void release(Held held) {
    held.thread.held.remove(held);
    if (!end(held)) {
      return; // it was forced open
    }
    Lock lock = locks.get(held.lock);
    for (Wait each : lock.queue) {
      if (!each.reads && !lock.read && each.thread.process == held.thread.process) {
        lock.queue.remove(each); // it is handed off
        each.end = now;
        hold(held.id, each);
        return;
      }
    }
    grant(held.lock);
  }

  /** It ends in the store. */
  private boolean end(Held held) {
    boolean had = locks.get(held.lock).holders.remove(held);
    if (had) {
      held.end = now;
    }
    return had;
  }

  /** A forced unlock, of which the holder's process hears late, or at its next renewal. */
  private void force() {
    later(random.nextInt(5_000), this::force);
    Lock lock = locks.get(random.nextInt(locks.size()));
    if (!lock.holders.isEmpty()) {
      Held held = lock.holders.get(random.nextInt(lock.holders.size()));
      boolean unused = end(held);
      later(isLost() ? random.nextInt(RENEWAL) : delay(), () -> held.thread.held.remove(held));
      grant(held.lock);
    }
  }

  // Probes

  private void looks(int process, int phase) {
    later(
        phase,
        () -> {
          List<Blocked> all = new ArrayList<>();
          for (Worker each : workers) {
            Wait wait = each.wait;
            if (each.process == process
                && wait != null
                && !each.held.isEmpty()
                && now - wait.from >= LOOK
                && !isMissed(each)) {
              all.add(new Blocked(wait, each.held.get(0)));
            }
          }
          processes.get(process).look(all);
          looks(process, LOOK);
        });
  }

  /** Its process asks the store for it at that moment. Not at two looks in a row. */
  private boolean isMissed(Worker worker) {
    worker.missed = !worker.missed && random.nextInt(10) == 0;
    return worker.missed;
  }

  /** The script runs: a message to each that holds the lock in the store now. */
  private void post(Probe probe, int lock) {
    for (Held each : locks.get(lock).holders) {
      int copies = isLost() ? 0 : faults && random.nextInt(50) == 0 ? 2 : 1;
      for (int i = 0; i < copies; i++) {
        later(delay(), () -> heard(probe, each.id, each.thread.process));
      }
    }
  }

  private void heard(Probe probe, String id, int process) {
    List<Blocked> all = new ArrayList<>();
    for (Worker each : workers) {
      Wait wait = each.wait;
      if (each.process == process && wait != null) {
        each.held.stream()
            .filter(held -> held.id.equals(id))
            .forEach(held -> all.add(new Blocked(wait, held)));
      }
    }
    processes.get(process).hear(probe, all);
  }

  // What is checked

  private void tell(Blocked youngest, List<Hop> path) {
    if (!told.add(path.stream().map(Hop::edge).toList())) {
      broken.add("told twice: " + path);
    }
    long from = 0;
    long end = now;
    Wait before = waitOf(path.get(path.size() - 1));
    for (Hop hop : path) {
      Wait wait = waitOf(hop);
      Held held = heldIn(wait, hop.hold());
      if (held == null || before.lock != held.lock) {
        broken.add("no circle: " + path);
        return;
      }
      from = Math.max(from, Math.max(held.from, wait.from));
      end = Math.min(end, Math.min(held.end, wait.end));
      before = wait;
    }
    if (from > end) {
      broken.add("at no moment true: " + path + " from " + from + " to " + end);
    }
    if (path.stream().anyMatch(hop -> hop.waitId().compareTo(youngest.wait.id) > 0)) {
      broken.add("not the youngest: " + path);
    }
    if (breaks) {
      giveUp(youngest.wait);
      List.copyOf(youngest.wait.thread.held).forEach(this::release);
    }
  }

  private Wait waitOf(Hop hop) {
    return Objects.requireNonNull(waits.get(hop.waitId()), "a wait that never was");
  }

  /** The hold of a thread by an id while it began to wait. */
  private @Nullable Held heldIn(Wait wait, String id) {
    return holds.getOrDefault(id, List.of()).stream()
        .filter(each -> each.thread == wait.thread)
        .filter(each -> each.from <= wait.from && wait.from <= each.end)
        .findFirst()
        .orElse(null);
  }

  /** A thread in a circle that has lasted for three looks has been told. */
  private void checkFound(Worker first) {
    List<String> circle = new ArrayList<>();
    long since = 0;
    Worker next = first;
    do {
      Wait wait = next.wait;
      if (wait == null || circle.contains(wait.id)) {
        return; // no circle, or one without the first
      }
      Held held = locks.get(wait.lock).holders.get(0);
      since = Math.max(since, Math.max(wait.from, held.from));
      circle.add(wait.id);
      next = held.thread;
    } while (next != first);
    boolean found = told.stream().anyMatch(path -> circle.stream().allMatch(id -> has(path, id)));
    if (!found && now - since >= THREE_LOOKS) {
      broken.add("not told since " + since + ": " + circle);
    }
  }

  private static boolean has(List<String> path, String wait) {
    return path.stream().anyMatch(edge -> edge.endsWith(wait));
  }
}
