package io.mortise.cli;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.LockStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run of a command under a lock. It waits, starts the command, looks ten times a second whether
 * the lock is still held, and gives the lock back after the command has ended. Signals come from
 * other threads.
 */
final class LockedRun {
  private static final Duration PACE = Duration.ofMillis(100);
  private static final Duration UNTIL_TOLD = Duration.ofSeconds(1);

  /** The time before the end of a lease in which no command may run that gets KILL. */
  private static final Duration MARGIN = Duration.ofSeconds(1);

  /** The longest time that processes may take to stop before KILL, if the lock is lost already. */
  private static final Duration LONGEST_STOP = Duration.ofSeconds(5);

  private static final int TERMINAL_GROUP = 5;
  private static final int GROUP = 2;

  /** What happens to the command when its lock is lost. */
  enum OnLost {
    TERM,
    KILL,
    IGNORE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What to run, and how.
   *
   * @param name the lock
   * @param command the command and its arguments
   * @param atLeast how long the lock is kept at least
   * @param onLost what happens if it is lost
   * @param grace the time between TERM and KILL
   */
  record Plan(String name, List<String> command, Duration atLeast, OnLost onLost, Duration grace) {}

  private final Plan plan;
  private final Notices notices;
  private final Thread waiting = Thread.currentThread();
  private Signals.@Nullable Signal signal;
  private @Nullable GuardedCommand running;
  private boolean waits = true;

  LockedRun(Plan plan, Notices notices) {
    this.plan = plan;
    this.notices = notices;
  }

  /** Passes a signal on to the command, or ends the wait for the lock. */
  synchronized void signalled(Signals.Signal sent) {
    if (running != null) {
      if (sent != Signals.Signal.INT || !isInForeground()) {
        running.signal(sent);
      }
    } else if (signal == null) {
      signal = sent;
      if (waits) {
        waiting.interrupt();
      }
    }
  }

  /** A terminal sends Ctrl-C to the command too, if this process is in its foreground. */
  private static boolean isInForeground() {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return fields[GROUP].equals(fields[TERMINAL_GROUP]);
    } catch (IOException | RuntimeException e) {
      return false; // not on Linux
    }
  }

  synchronized int signalCode() {
    return signal == null ? Exit.RUN_UNEXPECTED.code() : signal.exitCode();
  }

  /** Throws a failure, unless a signal is what caused it. */
  synchronized void rethrowUnlessSignalled(Exception e) throws InterruptedException {
    boolean interrupted = Thread.interrupted() || e instanceof InterruptedException;
    if (signal != null && interrupted) {
      return;
    }
    if (e instanceof RuntimeException failure) {
      throw failure;
    }
    throw (InterruptedException) new InterruptedException("interrupted").initCause(e);
  }

  /**
   * Runs the command under the lock.
   *
   * @param wanted the lock
   * @param longest the longest time to wait, or null for no limit
   * @param busyCode the exit code if the lock was not got
   * @param quiet whether nothing is told while it waits
   * @return the exit code
   */
  int under(Wanted wanted, @Nullable Duration longest, int busyCode, boolean quiet)
      throws InterruptedException {
    Thread teller = new Thread(() -> tellHolder(wanted.service()), "mortise-run-teller");
    teller.setDaemon(true);
    if (!quiet && (longest == null || longest.compareTo(UNTIL_TOLD) > 0)) {
      teller.start();
    }
    Optional<Lease> lease = wanted.acquire(longest);
    teller.interrupt();
    if (lease.isEmpty()) {
      throw Failure.chosen(busyCode, "'%s' is held by somebody else".formatted(plan.name()));
    }
    return run(lease.get());
  }

  private void tellHolder(LockService service) {
    try {
      TimeUnit.NANOSECONDS.sleep(UNTIL_TOLD.toNanos());
      for (LockStatus each : service.status(plan.name())) {
        // The answer may come after the grant. What this command holds, it does not wait for.
        List<LockStatus.Holder> others =
            each.holders().stream()
                .filter(holder -> !holder.clientId().equals(service.clientId()))
                .toList();
        if (!others.isEmpty()) {
          notices.tell(
              "waits for '%s' (%s), held by %s"
                  .formatted(plan.name(), LockView.kind(each.kind()), LockView.holders(others)));
        }
      }
    } catch (InterruptedException | RuntimeException e) {
      // Nothing is told. The wait itself reports what is wrong.
    }
  }

  private int run(Lease lease) throws InterruptedException {
    long start = System.nanoTime();
    int code;
    boolean lost;
    try {
      GuardedCommand started = start(lease);
      if (started == null) {
        return signalCode();
      }
      lost = await(started, lease);
      code = ended(started);
    } finally {
      Duration ran = Duration.ofNanos(System.nanoTime() - start);
      release(lease, plan.atLeast().minus(ran));
    }
    lost |= lease.state() == LeaseState.LOST;
    return lost && plan.onLost() != OnLost.IGNORE ? Exit.RUN_LOST.code() : code;
  }

  private synchronized int ended(GuardedCommand command) {
    running = null;
    waits = false;
    return command.ended();
  }

  /** Starts the command. Returns null if a signal came before. */
  private synchronized @Nullable GuardedCommand start(Lease lease) {
    if (signal != null) {
      return null;
    }
    if (!GuardedCommand.canGuard()) {
      notices.tell("no /bin/sh here, so nothing ends the command if mortise is killed");
    }
    Map<String, String> environment = new HashMap<>(Map.of("MORTISE_LOCK", plan.name()));
    lease.fencingToken().ifPresent(token -> environment.put("MORTISE_TOKEN", "" + token));
    try {
      running = GuardedCommand.start(plan.command(), environment, plan.grace());
      return running;
    } catch (IOException e) {
      throw new Failure(
          Exit.RUN_CANNOT_START.code(),
          "'%s' cannot be started: %s".formatted(plan.command().get(0), e.getMessage()),
          e);
    }
  }

  /** Waits for the end of the command. Returns whether it had to end because of its lock. */
  private boolean await(GuardedCommand command, Lease lease) throws InterruptedException {
    boolean doubted = false;
    while (!command.await(PACE)) {
      boolean doubt = lease.state() == LeaseState.SUSPECT;
      if (doubt && !doubted) {
        notices.tell("the store does not answer, so the lock is not renewed at present");
      }
      doubted = doubt;
      Duration left = left(lease);
      if (left != null) {
        boolean lost = lease.state() == LeaseState.LOST;
        String what = lost ? "the lock was lost" : "the lock is about to be lost";
        if (plan.onLost() == OnLost.IGNORE) {
          notices.tell(what + "; the command goes on without it");
          command.await();
          return true;
        }
        notices.tell(what + "; the command is ended");
        end(command, lease, left);
        return true;
      }
    }
    return false;
  }

  /**
   * The time that the command has to end, or null if its lock is safe. While renewals fail, the
   * lock is given up while there is still time to end the command.
   */
  private @Nullable Duration left(Lease lease) {
    LeaseState state = lease.state();
    if (state == LeaseState.LOST || state == LeaseState.RELEASED) {
      return plan.grace();
    }
    Duration left = lease.remaining().minus(MARGIN);
    boolean ending = state == LeaseState.SUSPECT && left.compareTo(plan.grace()) <= 0;
    return ending ? left : null;
  }

  private void end(GuardedCommand command, Lease lease, Duration left) throws InterruptedException {
    ProcessTree all = command.tree();
    all.end();
    Duration time = plan.onLost() == OnLost.KILL || left.isNegative() ? Duration.ZERO : left;
    long last = System.nanoTime() + time.toNanos();
    while (all.isAlive() && System.nanoTime() - last < 0) {
      TimeUnit.NANOSECONDS.sleep(PACE.toNanos() / 4);
      all.look();
    }
    boolean lasts = lease.state() == LeaseState.SUSPECT;
    all.kill(lasts ? lease.remaining().minus(PACE) : LONGEST_STOP);
    command.await();
  }

  private void release(Lease lease, Duration after) {
    try {
      lease.closeAfter(after);
    } catch (LeaseLostException e) {
      // The exit code says so.
    } catch (LockException e) {
      notices.tell("the lock was not given back, and ends with its lease: " + e.getMessage());
    }
  }
}
