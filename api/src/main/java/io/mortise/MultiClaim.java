package io.mortise;

import io.mortise.engine.Claimed;
import io.mortise.engine.Claimer;
import io.mortise.engine.Futures;
import io.mortise.engine.Member;
import io.mortise.engine.Turns;
import io.mortise.spi.TimeSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A claim of all members of a multi lock, or none. Its steps are made in turns. */
final class MultiClaim {
  /* Overview
   *
   * All members that are missing are tried at the same time. If some are refused, the first of them
   * is waited for, by the rule of MultiAttempt: with nothing in hand but renewed leases of smaller
   * names, so that no circle of waiting claims can close. Then the missing ones are tried again.
   */
  private final String name;
  private final List<Member> members;
  private final TimeSource time;
  private final long wait;
  private final long start;
  private final CompletableFuture<Claimed> claimed;
  private final Turns turns = new Turns();
  private final Map<Member, Lease> held = new HashMap<>();
  private @Nullable Throwable failure;
  private String heldBy = "somebody";

  private MultiClaim(
      String name, List<Member> members, long wait, CompletableFuture<Claimed> claimed) {
    this.name = name;
    this.members = members;
    this.wait = wait;
    this.claimed = claimed;
    time = members.get(0).time();
    start = time.nanoTime();
  }

  /** As {@link Claimer#claim}, of all members. */
  static void start(
      String name, List<Member> members, long wait, CompletableFuture<Claimed> claimed) {
    MultiClaim claim = new MultiClaim(name, members, wait, claimed);
    claim.turns.run(claim::round);
  }

  private List<Member> missing() {
    return members.stream().filter(each -> !held.containsKey(each)).toList();
  }

  private void round() {
    failure = null;
    Map<Member, CompletableFuture<Claimed>> tries = new LinkedHashMap<>();
    missing().forEach(each -> tries.put(each, ask(each, Claimer.NOT)));
    CompletableFuture<Void> unused =
        Futures.settled(tries.values()).thenRun(() -> turns.run(() -> tried(tries)));
  }

  private void tried(Map<Member, CompletableFuture<Claimed>> tries) {
    tries.forEach(this::keep);
    next();
  }

  /** Withdrawn as soon as nobody wants the whole any more. */
  private CompletableFuture<Claimed> ask(Member member, long nanos) {
    CompletableFuture<Claimed> one = new CompletableFuture<>();
    CompletableFuture<Claimed> unused = claimed.whenComplete((value, why) -> one.cancel(false));
    member.claim(nanos, one);
    return one;
  }

  private void keep(Member member, CompletableFuture<Claimed> done) {
    Throwable why = Futures.failure(done);
    if (why != null) {
      failure = why;
      return;
    }
    Claimed answer = done.join();
    if (answer.lease() != null) {
      held.put(member, answer.lease());
    }
    heldBy = answer.heldBy() == null ? heldBy : answer.heldBy();
  }

  private void next() {
    List<Member> missing = missing();
    if (claimed.isDone()) {
      giveBack();
    } else if (missing.isEmpty()) {
      complete();
    } else if (left() <= 0 || isFinal(failure)) {
      end();
    } else {
      waitFor(missing.get(0));
    }
  }

  /** Such as a closed service: no time brings that member. */
  private static boolean isFinal(@Nullable Throwable why) {
    return why != null && !(why instanceof LockException);
  }

  private long left() {
    return wait == Claimer.FOREVER ? wait : wait - (time.nanoTime() - start);
  }

  private void waitFor(Member member) {
    failure = null; // the last answers count
    giveBack(each -> !(each.isRenewed() && MultiAttempt.before(each, member)));
    CompletableFuture<Claimed> one = ask(member, left());
    CompletableFuture<Claimed> unused =
        one.whenComplete((answer, why) -> turns.run(() -> waited(member, one)));
  }

  private void waited(Member member, CompletableFuture<Claimed> done) {
    keep(member, done);
    if (held.containsKey(member)) {
      round();
    } else {
      end();
    }
  }

  private void complete() {
    for (Member each : members) {
      Lease lease = held.get(each);
      if (lease != null && !lease.isValid()) {
        lost(each);
        return;
      }
    }
    List<Lease> leases = members.stream().map(held::get).toList();
    CompositeLease lease =
        new CompositeLease(name, leases.size(), time, members.get(0).executor(), leases);
    lease.watch();
    if (!claimed.complete(new Claimed(lease, null))) {
      giveBack();
    }
  }

  /** A member that was lost before the last was taken: renewed ones are taken again. */
  private void lost(Member member) {
    if (member.isRenewed()) {
      giveBack(each -> each.equals(member));
      round();
    } else {
      failure = MultiAttempt.lostWhileTaking(member, members.size());
      end();
    }
  }

  private void end() {
    giveBack();
    if (failure != null) {
      claimed.completeExceptionally(failure);
    } else {
      claimed.complete(new Claimed(null, left() <= 0 && wait != Claimer.NOT ? null : heldBy));
    }
  }

  private void giveBack() {
    giveBack(each -> true);
  }

  private void giveBack(Predicate<Member> which) {
    held.entrySet()
        .removeIf(entry -> {
          boolean back = which.test(entry.getKey());
          if (back) {
            CompositeLease.giveBack(entry.getValue());
          }
          return back;
        });
  }
}
