package io.mortise.internal.composite;

import io.mortise.LockException;
import io.mortise.internal.engine.Batch;
import io.mortise.internal.engine.Pending;
import io.mortise.internal.lock.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is asked at the same time for several members: each by its own command, or many by one. All
 * tries that were begun are finished, also if one throws. Used by the calling thread alone.
 */
final class MultiTries {
  /** Members that one command is for. */
  private record Run(Batch batch, List<Member> members) {}

  private final Consumer<Member> held;
  private final Map<Member, Pending> begun = new LinkedHashMap<>();
  private final List<Run> runs = new ArrayList<>();
  private final List<Throwable> broken = new ArrayList<>();
  private @Nullable LockException failure;

  /**
   * @param held is told of each member that the calling thread has got
   */
  MultiTries(Consumer<Member> held) {
    this.held = held;
  }

  /** Members that follow each other and join, so that one command can be for all of a run. */
  static List<List<Member>> runs(List<Member> members) {
    List<List<Member>> runs = new ArrayList<>();
    int start = 0;
    for (int end = 1; end <= members.size(); end++) {
      if (end - start == Batch.MOST
          || end == members.size()
          || !members.get(start).joins(members.get(end))) {
        runs.add(members.subList(start, end));
        start = end;
      }
    }
    return runs;
  }

  /** Begins all of these. Those of a run that the service does not use go by one command. */
  void beginAll(List<Member> members) {
    for (List<Member> run : runs(members)) {
      Run together = begins(run);
      for (Member each : run) {
        if (run.size() == 1 || !joins(each, together)) {
          begin(each);
        }
      }
      send(together);
    }
  }

  /**
   * Begins these by one command, as far as each of them can. If one cannot, nothing is sent, and
   * all are refused.
   *
   * @return how many there are before the first one that needs a try of its own
   */
  int beginTogether(List<Member> run) {
    Run together = begins(run);
    if (run.stream().allMatch(each -> joins(each, together))) {
      send(together);
    }
    return together.members().size();
  }

  private Run begins(List<Member> run) {
    Run begins = new Run(run.get(0).batch(), new ArrayList<>(run.size()));
    runs.add(begins);
    return begins;
  }

  private void send(Run run) {
    if (broken.isEmpty()) {
      run.batch().send();
    }
  }

  private boolean joins(Member member, Run run) {
    try {
      Pending trial = broken.isEmpty() ? member.begin(run.batch()) : null;
      if (trial != null) {
        begun.put(member, trial);
        run.members().add(member);
      }
      return trial != null;
    } catch (RuntimeException | Error e) {
      broken.add(e);
      return false;
    }
  }

  /** Begins one by its own command. */
  void begin(Member member) {
    try {
      if (broken.isEmpty()) {
        begun.put(member, member.begin());
      }
    } catch (LockException e) {
      failure = e; // as if it had been sent, and failed
    } catch (RuntimeException | Error e) {
      broken.add(e);
    }
  }

  /**
   * Waits for all replies. What a member throws that is no failure of the store is thrown in the
   * end.
   *
   * @return the last failure of the store; null if there was none
   */
  @Nullable LockException finish() {
    runs.forEach(run -> run.members().forEach(this::finish)); // the others may wait at a gate
    List.copyOf(begun.keySet()).forEach(this::finish);
    if (!broken.isEmpty()) {
      throw merged(broken.get(0), broken);
    }
    return failure;
  }

  private void finish(Member member) {
    Pending trial = Objects.requireNonNull(begun.remove(member));
    try {
      if (trial.finish()) {
        held.accept(member);
      }
    } catch (LockException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      broken.add(e);
    }
  }

  /** The one to throw, with the others suppressed. */
  static RuntimeException merged(Throwable first, List<Throwable> all) {
    suppress(first, all);
    if (first instanceof Error error) {
      throw error;
    }
    return (RuntimeException) first;
  }

  /** Several members may have thrown the same exception. */
  static void suppress(Throwable first, List<Throwable> others) {
    others.stream().filter(each -> !each.equals(first)).forEach(first::addSuppressed);
  }

  /** The member that kept the first run that was refused; null if none was. */
  @Nullable Member refused() {
    for (Run run : runs) {
      int first = run.batch().refused();
      if (first < run.members().size()) {
        return run.members().get(first);
      }
    }
    return null;
  }

  /**
   * Unlocks all members, the last first, and each run by one command. All commands are out before
   * the first answer is waited for: the holds have ended, so nothing renews them any more. And
   * servers that do not answer then cost the time of one command.
   *
   * @param after how long they must not be free yet
   * @return what that threw
   */
  static List<Throwable> unlockAll(Collection<Member> members, Duration after) {
    List<Member> lastFirst = new ArrayList<>(members);
    Collections.reverse(lastFirst);
    List<Throwable> errors = new ArrayList<>();
    List<Pending> begun = new ArrayList<>(lastFirst.size());
    for (List<Member> run : runs(lastFirst)) {
      Batch batch = run.get(0).batch();
      run.forEach(each -> guarded(() -> begun.add(each.unlock(batch, after)), errors));
      batch.send();
    }
    begun.forEach(each -> guarded(each::finish, errors));
    return errors;
  }

  /** What it throws goes to the errors. */
  static void guarded(Runnable step, List<Throwable> errors) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      errors.add(e);
    }
  }
}
