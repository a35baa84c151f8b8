package io.mortise.internal.engine;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One interleaving of several threads, chosen by a seed. One thread runs at a time. Another thread
 * may run where a thread parks, and where it calls {@link #point}. Messages and background commands
 * arrive at any moment, in any order. Time moves by small chosen steps. Or, if that is allowed, it
 * moves when nothing else can happen.
 *
 * <p>The engine sends no command and never parks while it holds its own locks. So a thread that
 * does not run keeps no other thread out.
 */
final class Schedule implements TimeSource {
  private static final long STEP = TimeUnit.MILLISECONDS.toNanos(10);

  /** Real time, for a thread that blocks outside of the schedule. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private record Choice(String name, Runnable action) {}

  private record Due(long instant, Runnable task) {}

  private final Random random;
  private final List<Actor> actors = new ArrayList<>();
  private final List<Choice> underway = new ArrayList<>();
  private final List<Due> timers = new ArrayList<>();
  private final Semaphore back = new Semaphore(0);
  private final StringBuilder trace = new StringBuilder();
  private @Nullable Actor current;
  private long now;
  private int steps = 6;
  private int interrupts = 2;

  Schedule(Random random) {
    this.random = random;
  }

  interface Task {
    void run() throws Exception;
  }

  /** A thread, and its state in the schedule. */
  private final class Actor {
    private final Thread thread;
    private final Semaphore go = new Semaphore(0);
    private boolean parked;
    private boolean permit;
    private boolean interrupted;
    private boolean done;
    private long wakesAt;
    private @Nullable Throwable failure;

    Actor(String name, Task task) {
      thread = new Thread(() -> run(task), name);
      thread.setDaemon(true);
    }

    private void run(Task task) {
      awaitTurn();
      try {
        task.run();
      } catch (Throwable e) {
        failure = e;
      }
      done = true;
      back.release();
    }

    void awaitTurn() {
      go.acquireUninterruptibly();
      if (interrupted) {
        interrupted = false;
        thread.interrupt();
      }
    }

    boolean canRun() {
      return !done && (!parked || permit || interrupted || wakesAt - now <= 0);
    }

    void resume() {
      current = this;
      go.release();
      try {
        if (!back.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError(
              thread.getName() + " blocks at " + List.of(thread.getStackTrace()));
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      current = null;
      if (failure != null) {
        throw new AssertionError(thread.getName() + " failed: " + failure, failure);
      }
    }
  }

  void add(String name, Task task) {
    Actor actor = new Actor(name, task);
    actors.add(actor);
    actor.thread.start();
  }

  /** Turns off interrupts. */
  void withoutInterrupts() {
    interrupts = 0;
  }

  /** Adds an event that happens at any moment from now on. */
  void later(String name, Runnable action) {
    underway.add(new Choice(name, action));
  }

  void note(String what) {
    trace.append("; ").append(what);
  }

  /** Allows another thread to run. */
  void point() {
    Actor self = current;
    if (self != null) {
      back.release();
      self.awaitTurn();
    }
  }

  boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  /**
   * Goes on until nothing more can happen.
   *
   * @param longest how much time may pass when nothing else can happen
   */
  void run(Duration longest) {
    while (true) {
      List<Choice> next = choices();
      if (!next.isEmpty()) {
        happen(next);
      } else if (!jump(longest.toNanos())) {
        return;
      }
    }
  }

  private void happen(List<Choice> next) {
    if (steps > 0 && actors.stream().anyMatch(actor -> actor.parked)) {
      next.add(new Choice("time passes", this::passStep));
    }
    if (interrupts > 0) {
      next.add(new Choice("interrupt", this::interruptOne));
    }
    Choice choice = next.get(random.nextInt(next.size()));
    note(choice.name);
    underway.remove(choice);
    choice.action.run();
  }

  private List<Choice> choices() {
    List<Choice> choices = new ArrayList<>(underway);
    for (Actor actor : actors) {
      if (actor.canRun()) {
        choices.add(new Choice(actor.thread.getName(), actor::resume));
      }
    }
    return choices;
  }

  private void passStep() {
    steps--;
    moveTo(now + STEP);
  }

  private void interruptOne() {
    interrupts--;
    Actor actor = actors.get(random.nextInt(actors.size()));
    note(actor.thread.getName());
    actor.interrupted = !actor.done;
  }

  private boolean jump(long longest) {
    long next =
        Stream.concat(
                actors.stream().filter(actor -> !actor.done).map(actor -> actor.wakesAt),
                timers.stream().map(Due::instant))
            .mapToLong(instant -> instant)
            .min()
            .orElse(Long.MAX_VALUE);
    if (next > longest) {
      return false;
    }
    note("time moves to " + TimeUnit.NANOSECONDS.toMillis(next) + " ms");
    moveTo(next);
    return true;
  }

  private void moveTo(long instant) {
    now = Math.max(now, instant);
    for (Due due : List.copyOf(timers)) {
      if (due.instant() <= now && timers.remove(due)) {
        later("timer", due.task());
      }
    }
  }

  List<String> unfinished() {
    return actors.stream()
        .filter(actor -> !actor.done)
        .map(actor -> actor.thread.getName())
        .toList();
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    Actor self = current;
    if (self == null) {
      throw new AssertionError("only threads of the schedule park");
    }
    self.wakesAt = now + nanos;
    point(); // a wake-up may come before the park
    self.parked = true;
    while (!self.permit && !self.thread.isInterrupted() && self.wakesAt - now > 0) {
      point();
    }
    self.parked = false;
    self.permit = false;
  }

  @Override
  public void unpark(Thread thread) {
    actors.stream()
        .filter(actor -> actor.thread.equals(thread))
        .forEach(actor -> actor.permit = true);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    Due due = new Due(now + delay.toNanos(), task);
    timers.add(due);
    return () -> timers.remove(due);
  }

  @Override
  public String toString() {
    return trace.toString();
  }
}
