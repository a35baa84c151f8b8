package io.mortise.internal.composite;

import io.mortise.BackendUnavailableException;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.OutcomeUnknownException;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
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
   * Members that follow each other and join are a run: one command takes all of them or none. If
   * one of them is not free, another command takes those before it, and it is taken by itself. So
   * runs change how many commands there are, and not in which order members are taken
   * (docs/decisions/0156-many-names-in-one-command.md).
   *
   * An attempt that waits tries all members at the same time in its first round. What it loses by
   * that, it wins by waiting.
   *
   * A later round takes the members in canonical order. There are two ways to take a member:
   *
   *   wait for it   if the thread holds no other member, or if all members that it holds are
   *                 renewed without a maximum and come before this one by name
   *   try it        otherwise
   *
   * The store's name is not part of that rule. Processes may know one store by different addresses,
   * and must agree on the order. So no circle of waiting threads can close:
   *
   *   - A thread that waits while it holds members waits for a greater name than any that it holds.
   *   - A thread that waits for a member that refused it holds nothing.
   *
   * With a fixed lease or a maximum a thread waits only while it holds no member, since that time
   * runs during the wait. A try that was refused ends the round: all members are given back. The
   * next round begins with a wait for the member that refused, as C++'s std::lock does. All others
   * follow in canonical order, whatever was refused before. So only a member before the one that it
   * began with can refuse, where members may be kept: it waits for those behind. From round to round
   * the first one gets smaller, and there are at most as many rounds as members
   * (docs/decisions/0009-multi-locks.md#d9).
   *
   * An attempt that waits tries without recalls: a try has asked the service that only keeps the
   * member, and the wait for it follows.
   */

  /** How the attempt waits for a member. Returns whether it has got it. */
  private interface Wait {
    boolean take(Member member) throws InterruptedException;
  }

  private final List<Member> members;
  private final Wait wait;
  private final BooleanSupplier timeLeft;
  private final boolean retries;
  private final Set<Member> held = new LinkedHashSet<>();

  /** The greatest member that is held, by name. */
  private @Nullable Member greatest;

  /** Whether all members that are held may be kept during a wait. */
  private boolean mayWait = true;

  /** The members as the next round takes them. */
  private List<Member> order;

  private boolean first = true;

  /** Whether each member is taken by its own command, because one for many has failed. */
  private boolean byItself;

  /** Why the last round ended, if the store could not say whether the member is free. */
  private @Nullable LockException failure;

  private MultiAttempt(List<Member> members, Wait wait, BooleanSupplier timeLeft, boolean retries) {
    this.members = members;
    order = members;
    this.wait = wait;
    this.timeLeft = timeLeft;
    this.retries = retries;
  }

  static MultiAttempt impatient(List<Member> members) {
    return new MultiAttempt(members, each -> each.handle().tryLock(), () -> true, false);
  }

  static MultiAttempt patient(List<Member> members, boolean interruptible) {
    Wait wait =
        member -> {
          if (interruptible) {
            member.handle().lockInterruptibly();
          } else {
            member.handle().lock();
          }
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
      order = beginningWith(refused);
    }
  }

  /** The canonical order, but for the member that has just refused. */
  private List<Member> beginningWith(Member refused) {
    List<Member> next = new ArrayList<>(members);
    next.remove(refused);
    next.add(0, refused);
    return next;
  }

  /** Takes all members and returns null, or takes none and returns the member that refused. */
  private @Nullable Member round() throws InterruptedException {
    failure = null;
    Member refused;
    try {
      refused = first && retries ? tryAll() : takeAll();
      first = false;
    } catch (Throwable e) {
      MultiTries.suppress(e, giveBack());
      throw e;
    }
    if (refused != null) {
      giveBack(); // a member that was lost meanwhile does not matter: the caller holds nothing
    }
    held.clear();
    greatest = null;
    mayWait = true;
    return refused;
  }

  /** Tries all members at the same time. Returns one that refused, or null. */
  private @Nullable Member tryAll() {
    MultiTries tries = new MultiTries(this::hold);
    tries.beginAll(order);
    failure = tries.finish();
    byItself = failure != null && isAnswered(failure);
    Member refused = tries.refused();
    if (byItself || (refused != null && failure == null && !timeLeft.getAsBoolean())) {
      return tryEach(); // the refusal of a command for many says nothing of its other members
    }
    return refused == null ? missing() : refused;
  }

  /** Tries all members that are not held at the same time, each by its own command. */
  private @Nullable Member tryEach() {
    MultiTries tries = new MultiTries(this::hold);
    order.stream().filter(each -> !held.contains(each)).forEach(tries::begin);
    failure = tries.finish();
    return missing();
  }

  private @Nullable Member takeAll() throws InterruptedException {
    for (List<Member> run : MultiTries.runs(order)) {
      Member refused = take(run);
      if (refused != null) {
        return refused;
      }
    }
    return missing();
  }

  private @Nullable Member take(List<Member> run) throws InterruptedException {
    int taken = 0;
    while (taken < run.size()) {
      taken += takeTogether(run.subList(taken, run.size()));
      if (failure != null) {
        return missing();
      }
      if (taken < run.size()) {
        Member each = run.get(taken);
        if (isLate() || !take(each, mayWait && (greatest == null || before(greatest, each)))) {
          return each;
        }
        hold(each);
        taken++;
      }
    }
    return null;
  }

  private boolean isLate() {
    return !held.isEmpty() && !timeLeft.getAsBoolean();
  }

  /**
   * Takes the first of these by one command, in their order. If one of them is not free, another
   * command takes those before it.
   *
   * @return how many it has taken. The next one has to be taken by itself
   */
  private int takeTogether(List<Member> run) {
    boolean waitsFirst = !first && held.isEmpty(); // that one has just refused
    boolean alone = run.size() == 1 || byItself || waitsFirst || isLate();
    List<Member> wanted = alone ? List.of() : run;
    while (!wanted.isEmpty()) {
      MultiTries tries = new MultiTries(this::hold);
      int asked = tries.beginTogether(wanted);
      LockException why = tries.finish();
      if (why != null) {
        byItself = true;
        failure = mayGoOn(why, wanted) ? null : why;
        return 0;
      }
      Member refused = asked < wanted.size() ? wanted.get(asked) : tries.refused();
      if (refused == null) {
        return asked;
      }
      wanted = wanted.subList(0, wanted.indexOf(refused));
    }
    return 0;
  }

  /** Whether the members may be taken one by one, after their common command has failed. */
  private boolean mayGoOn(LockException why, List<Member> wanted) {
    return (retries || isAnswered(why)) && wanted.stream().noneMatch(held::contains);
  }

  private static boolean isAnswered(LockException failure) {
    return failure.getCause() instanceof BackendException e && e.outcome() == Outcome.REPLIED;
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

  private void hold(Member taken) {
    held.add(taken);
    mayWait = mayWait && taken.mayBeKept();
    greatest = greatest == null || before(greatest, taken) ? taken : greatest;
  }

  /** One that is not held; else as {@link #lost}. */
  private @Nullable Member missing() {
    return order.stream().filter(each -> !held.contains(each)).findFirst().orElseGet(this::lost);
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
      if (each.handle().getHoldCount() == 0) { // the thread does not ask, so it is not told
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
            .formatted(Names.shown(member.name()), members));
  }

  private List<Throwable> giveBack() {
    List<Throwable> errors = MultiTries.unlockAll(held, Duration.ZERO);
    held.clear();
    return errors;
  }
}
