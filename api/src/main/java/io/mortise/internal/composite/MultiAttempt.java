package io.mortise.internal.composite;

import io.mortise.BackendUnavailableException;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockException;
import io.mortise.OutcomeUnknownException;
import io.mortise.internal.engine.PendingTry;
import io.mortise.internal.lock.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call that acquires all members of a multi-lock, or none. Used by the calling thread alone.
 */
final class MultiAttempt {
  /* Overview
   *
   * An attempt that does not wait tries one member after the other, in canonical order, and ends
   * with the first refusal. A refused member has another thread as its holder. That thread has all
   * of its own members before this one, and goes on to greater ones. So of several threads that
   * want members which nobody else has, one gets them all. Tries at the same time could all fail
   * (docs/decisions/0009-multi-locks.md#d32).
   *
   * An attempt that waits tries all members at the same time in its first round. What it loses by
   * that, it wins by waiting.
   *
   * A later round takes the members in canonical order. There are two ways to take a member:
   *
   *   wait for it   if the thread holds no other member, or if all members that it holds are
   *                 renewed and come before this one by name
   *   try it        otherwise
   *
   * The store's name is not part of that rule. Processes may know one store by different addresses,
   * and must agree on the order. So no circle of waiting threads can close:
   *
   *   - A thread that waits while it holds members waits for a greater name than any that it holds.
   *   - A thread that waits for a member that refused it holds nothing.
   *
   * With a fixed lease a thread waits only while it holds no member, since the lease runs during
   * the wait. A try that was refused ends the round: all members are given back. The next round
   * begins with a wait for the member that refused, as C++'s std::lock does.
   *
   * An attempt that waits tries without recalls: a try has asked the service that only keeps the
   * member, and the wait for it follows.
   */

  /** How the attempt waits for a member. */
  interface Way {
    void lock(LeasedLock member) throws InterruptedException;
  }

  private interface Wait {
    boolean take(Member member) throws InterruptedException;
  }

  private final List<Member> order;
  private final Wait wait;
  private final BooleanSupplier timeLeft;
  private final boolean retries;
  private final Set<Member> held = new LinkedHashSet<>();

  private boolean first = true;

  /** Why the last round ended, if the store could not say whether the member is free. */
  private @Nullable LockException failure;

  private MultiAttempt(List<Member> members, Wait wait, BooleanSupplier timeLeft, boolean retries) {
    order = new ArrayList<>(members);
    this.wait = wait;
    this.timeLeft = timeLeft;
    this.retries = retries;
  }

  static MultiAttempt impatient(List<Member> members) {
    return new MultiAttempt(members, each -> each.handle().tryLock(), () -> true, false);
  }

  static MultiAttempt patient(List<Member> members, Way way) {
    Wait wait =
        member -> {
          way.lock(member.handle());
          return true;
        };
    return new MultiAttempt(members, wait, () -> true, true);
  }

  /** One deadline for all members, by the clock of the first member's service. */
  static MultiAttempt timed(List<Member> members, long nanos) {
    Member clock = members.get(0);
    long start = clock.time().nanoTime();
    return new MultiAttempt(
        members,
        each -> each.handle().tryLock(Duration.ofNanos(nanos - (clock.time().nanoTime() - start))),
        () -> clock.time().nanoTime() - start < nanos,
        true);
  }

  boolean acquire() throws InterruptedException {
    while (true) {
      Member refused = round();
      if (refused == null) {
        return true;
      }
      if (!retries || !timeLeft.getAsBoolean()) {
        if (failure != null) {
          throw failure;
        }
        return false;
      }
      order.remove(refused);
      order.add(0, refused);
    }
  }

  /** Takes all members and returns null, or takes none and returns the member that refused. */
  private @Nullable Member round() throws InterruptedException {
    failure = null;
    Member refused;
    try {
      refused = first && retries ? tryAll() : takeAll();
      first = false;
    } catch (Throwable e) {
      suppress(e, giveBack());
      throw e;
    }
    if (refused != null) {
      giveBack(); // a member that was lost meanwhile does not matter: the caller holds nothing
    }
    held.clear();
    return refused;
  }

  /**
   * Tries all members at the same time. Returns one that refused, or null. Finishes every try that
   * was begun, also if one throws.
   */
  private @Nullable Member tryAll() {
    Map<Member, PendingTry> trials = new LinkedHashMap<>();
    List<Throwable> broken = new ArrayList<>();
    Iterator<Member> next = order.iterator();
    while (next.hasNext() && broken.isEmpty()) {
      begin(next.next(), trials, broken);
    }
    trials.forEach((member, trial) -> finish(member, trial, broken));
    throwFirst(broken);
    return order.stream().filter(each -> !held.contains(each)).findFirst().orElseGet(this::lost);
  }

  private void begin(Member member, Map<Member, PendingTry> trials, List<Throwable> broken) {
    try {
      trials.put(member, member.begin());
    } catch (LockException e) {
      failure = e; // as if it had been sent, and failed
    } catch (RuntimeException | Error e) {
      broken.add(e);
    }
  }

  private void finish(Member member, PendingTry trial, List<Throwable> broken) {
    try {
      if (trial.finish()) {
        held.add(member);
      }
    } catch (LockException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      broken.add(e);
    }
  }

  private static void throwFirst(List<Throwable> broken) {
    if (!broken.isEmpty()) {
      Throwable first = broken.get(0);
      suppress(first, broken);
      if (first instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) first;
    }
  }

  /** Several members may have thrown the same exception. */
  private static void suppress(Throwable first, List<Throwable> others) {
    others.stream().filter(each -> !each.equals(first)).forEach(first::addSuppressed);
  }

  private @Nullable Member takeAll() throws InterruptedException {
    Member greatest = null;
    boolean mayWait = true;
    for (Member each : order) {
      boolean late = !held.isEmpty() && !timeLeft.getAsBoolean();
      boolean waits = mayWait && (greatest == null || before(greatest, each));
      if (late || !take(each, waits)) {
        return each;
      }
      held.add(each);
      mayWait = mayWait && each.isRenewed();
      greatest = greatest == null || before(greatest, each) ? each : greatest;
    }
    return lost();
  }

  private boolean take(Member member, boolean waits) throws InterruptedException {
    if (waits) {
      return wait.take(member);
    }
    try {
      return retries ? member.begin().finish() : member.handle().tryLock();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      failure = e; // the next round waits for it, as long as a lock of its own would
      return false;
    }
  }

  static boolean before(Member one, Member other) {
    return one.name().compareTo(other.name()) < 0;
  }

  /**
   * A renewed member that was lost before the last one was taken; null if there is none.
   *
   * @throws LeaseLostException a member with a fixed lease was lost
   */
  private @Nullable Member lost() {
    for (Member each : held) {
      if (!each.handle().isHeldByCurrentThread()) {
        if (each.isRenewed()) {
          return each;
        }
        throw lostWhileTaking(each, held.size());
      }
    }
    return null;
  }

  static LeaseLostException lostWhileTaking(Member member, int members) {
    return new LeaseLostException(
        "multi-lock: the lease of '%s' was over before the last of %d members was taken; nothing is held, use a longer lease (docs/troubleshooting.md#lease-lost)"
            .formatted(member.name(), members));
  }

  private List<Throwable> giveBack() {
    List<Throwable> errors = lastFirst(held, LeasedLock::unlock);
    held.clear();
    return errors;
  }

  /** Does something with all members, the last first, and returns what that threw. */
  static List<Throwable> lastFirst(Collection<Member> members, Consumer<LeasedLock> what) {
    List<Member> lastFirst = new ArrayList<>(members);
    Collections.reverse(lastFirst);
    return tell(lastFirst, what);
  }

  static List<Throwable> tell(Collection<Member> members, Consumer<LeasedLock> what) {
    List<Throwable> errors = new ArrayList<>();
    for (Member each : members) {
      try {
        what.accept(each.handle());
      } catch (RuntimeException | Error e) {
        errors.add(e);
      }
    }
    return errors;
  }
}
