package io.mortise;

import io.mortise.engine.Claimed;
import io.mortise.engine.Claimer;
import io.mortise.engine.Futures;
import io.mortise.engine.Member;
import io.mortise.engine.MemberLease;
import io.mortise.engine.Turns;
import io.mortise.spi.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A claim of all members of a multi lock, or none. Its steps are made in turns. */
final class MultiClaim {
  /* Overview
   *
   * A claim that waits tries all members that are missing at the same time. If some are refused, the
   * first of them is waited for, by the rule of MultiAttempt: with nothing in hand but renewed leases
   * of smaller names, so that no circle of waiting claims can close. Then the missing ones are tried
   * again. A claim that does not wait tries one member after the other, as MultiAttempt does.
   */
  private final String name;
  private final List<Member> members;
  private final TimeSource time;
  private final long wait;
  private final long start;
  private final CompletableFuture<Claimed> claimed;
  private final Turns turns = new Turns();
  private final Map<Member, MemberLease> held = new HashMap<>();
  private final List<CompletableFuture<Claimed>> asked = new ArrayList<>();
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
    CompletableFuture<Claimed> unused =
        claimed.whenComplete((value, failure) -> claim.turns.run(claim::withdraw));
    claim.turns.run(claim::round);
  }

  private List<Member> missing() {
    return members.stream().filter(each -> !held.containsKey(each)).toList();
  }

  private void round() {
    if (claimed.isDone()) {
      giveBack(members);
      return;
    }
    failure = null;
    List<Member> missing = missing();
    Map<Member, CompletableFuture<Claimed>> tries = new LinkedHashMap<>();
    for (Member each : wait == Claimer.NOT ? missing.subList(0, 1) : missing) {
      tries.put(each, ask(each, Claimer.NOT));
    }
    CompletableFuture<Void> unused =
        Futures.settled(tries.values()).thenRun(() -> turns.run(() -> tried(tries)));
  }

  private void tried(Map<Member, CompletableFuture<Claimed>> tries) {
    asked.clear();
    tries.forEach(this::keep);
    if (held.keySet().containsAll(tries.keySet()) && !missing().isEmpty()) {
      round();
    } else {
      next();
    }
  }

  private CompletableFuture<Claimed> ask(Member member, long nanos) {
    CompletableFuture<Claimed> one = new CompletableFuture<>();
    asked.add(one);
    member.claim(nanos, one);
    return one;
  }

  /** Nobody wants the whole any more. */
  private void withdraw() {
    List.copyOf(asked).forEach(one -> one.cancel(false));
  }

  private void keep(Member member, CompletableFuture<Claimed> done) {
    Throwable why = Futures.failure(done);
    if (why != null) {
      failure = why;
      return;
    }
    Claimed answer = done.join();
    if (answer.lease() != null) {
      held.put(member, CompositeLease.inside(answer.lease()));
    }
    heldBy = answer.heldBy() == null ? heldBy : answer.heldBy();
  }

  private void next() {
    List<Member> missing = missing();
    if (claimed.isDone()) {
      giveBack(members);
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
    giveBack(
        members.stream()
            .filter(each -> !(each.isRenewed() && MultiAttempt.before(each, member)))
            .toList());
    CompletableFuture<Claimed> one = ask(member, left());
    CompletableFuture<Claimed> unused =
        one.whenComplete((answer, why) -> turns.run(() -> waited(member, one)));
  }

  private void waited(Member member, CompletableFuture<Claimed> done) {
    asked.clear();
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
    List<? extends Lease> leases = members.stream().map(held::get).toList();
    CompositeLease lease =
        new CompositeLease(name, leases.size(), time, members.get(0).executor(), leases);
    lease.watch();
    if (!claimed.complete(new Claimed(lease, null))) {
      giveBack(members);
    }
  }

  /** A member that was lost before the last was taken: renewed ones are taken again. */
  private void lost(Member member) {
    if (member.isRenewed()) {
      giveBack(List.of(member));
      round();
    } else {
      failure = MultiAttempt.lostWhileTaking(member, members.size());
      end();
    }
  }

  /** Tells why it has none, as soon as others can have what it took. */
  private void end() {
    Throwable why = failure;
    Claimed refused = new Claimed(null, left() <= 0 && wait != Claimer.NOT ? null : heldBy);
    CompletableFuture<Boolean> unused =
        released(members)
            .thenApply(done ->
                why == null ? claimed.complete(refused) : claimed.completeExceptionally(why));
  }

  private void giveBack(List<Member> unwanted) {
    CompletableFuture<Void> unused = released(unwanted);
  }

  /** Complete when the stores of those that were held have answered. */
  private CompletableFuture<Void> released(List<Member> unwanted) {
    return Futures.settled(
        unwanted.stream()
            .map(held::remove)
            .filter(Objects::nonNull)
            .map(MemberLease::releasing)
            .toList());
  }
}
