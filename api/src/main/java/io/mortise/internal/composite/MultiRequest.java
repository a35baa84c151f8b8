package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LockException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.SerialExecutor;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.MemberLease;
import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A lease request for all members of a multi-lock, or none. Its steps run one after the other. */
final class MultiRequest {
  /* Overview
   *
   * A request that waits tries all missing members at the same time. If some refuse, it waits for
   * the first of them. It follows the rule of MultiAttempt: while it waits, it holds nothing but
   * leases of smaller names that are renewed without a maximum, so that no circle of waiting
   * requests can close. Then it tries the missing members again.
   *
   * A request that does not wait tries one member after the other, as MultiAttempt does. Of such a
   * request, a try waits for a member that its service only keeps. One that waits has asked for it
   * by its try, and waits for it with the next command.
   */
  private final String name;
  private final List<Member> members;
  private final TimeSource time;
  private final long wait;
  private final long start;
  private final CompletableFuture<LeaseOutcome> claimed;
  private final SerialExecutor tasks = new SerialExecutor();
  private final Map<Member, MemberLease> held = new HashMap<>();
  private final List<CompletableFuture<LeaseOutcome>> asked = new ArrayList<>();

  /** The missing members that are still to be tried; it is empty except between two tries. */
  private Iterator<Member> rest = Collections.emptyIterator();

  private @Nullable Throwable failure;
  private String heldBy = "somebody";

  private MultiRequest(
      String name, List<Member> members, long wait, CompletableFuture<LeaseOutcome> claimed) {
    this.name = name;
    this.members = members;
    this.wait = wait;
    this.claimed = claimed;
    time = MemberTime.of(members);
    start = time.nanoTime();
  }

  /** As {@link LeaseSource#request}, for all members. */
  static void start(
      String name, List<Member> members, long wait, CompletableFuture<LeaseOutcome> result) {
    MultiRequest request = new MultiRequest(name, members, wait, result);
    CompletableFuture<LeaseOutcome> unused =
        result.whenComplete((value, failure) -> request.tasks.run(request::withdraw));
    request.tasks.run(request::round);
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
    rest = rest.hasNext() ? rest : missing().iterator();
    Map<Member, CompletableFuture<LeaseOutcome>> tries = new LinkedHashMap<>();
    while (rest.hasNext() && (tries.isEmpty() || wait != LeaseSource.NOT)) {
      Member each = rest.next();
      tries.put(each, ask(each, wait == LeaseSource.NOT ? wait : LeaseSource.AT_ONCE));
    }
    CompletableFuture<Void> unused =
        Futures.settled(tries.values()).thenRun(() -> tasks.run(() -> tried(tries)));
  }

  private void tried(Map<Member, CompletableFuture<LeaseOutcome>> tries) {
    asked.clear();
    tries.forEach(this::keep);
    boolean allHeld = held.keySet().containsAll(tries.keySet());
    if (allHeld && (rest.hasNext() || !missing().isEmpty())) {
      round();
    } else {
      next();
    }
  }

  private CompletableFuture<LeaseOutcome> ask(Member member, long nanos) {
    CompletableFuture<LeaseOutcome> one = new CompletableFuture<>();
    asked.add(one);
    member.request(nanos, one);
    return one;
  }

  /** Nobody wants the whole any more. */
  private void withdraw() {
    List.copyOf(asked).forEach(one -> one.cancel(false));
  }

  private void keep(Member member, CompletableFuture<LeaseOutcome> done) {
    Throwable why = Futures.failure(done);
    if (why != null) {
      failure = why;
      return;
    }
    LeaseOutcome answer = done.join();
    if (answer.lease() != null) {
      held.put(member, MergedLease.memberLease(answer.lease()));
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

  /** Whether no wait can bring that member, as with a closed service. */
  private static boolean isFinal(@Nullable Throwable why) {
    return why != null && !(why instanceof LockException);
  }

  private long left() {
    return wait == LeaseSource.FOREVER ? wait : wait - (time.nanoTime() - start);
  }

  private void waitFor(Member member) {
    failure = null; // the last answers count
    giveBack(
        members.stream()
            .filter(each -> !(each.mayBeKept() && MultiAttempt.before(each, member)))
            .toList());
    CompletableFuture<LeaseOutcome> one = ask(member, left());
    CompletableFuture<LeaseOutcome> unused =
        one.whenComplete((answer, why) -> tasks.run(() -> waited(member, one)));
  }

  private void waited(Member member, CompletableFuture<LeaseOutcome> done) {
    asked.clear();
    keep(member, done);
    if (held.containsKey(member)) {
      round();
    } else {
      end();
    }
  }

  private void complete() {
    Object whole = new Object(); // before the look: a loss that is told earlier is seen here
    held.values().forEach(each -> each.joins(whole));
    for (Member each : members) {
      Lease lease = held.get(each);
      if (lease != null && !lease.isValid()) {
        lost(each);
        return;
      }
    }
    List<? extends Lease> leases = members.stream().map(held::get).toList();
    MergedLease lease =
        new MergedLease(name, leases.size(), time, members.get(0).executor(), leases);
    lease.watch();
    if (!claimed.complete(new LeaseOutcome(lease, null))) {
      giveBack(members);
    }
  }

  /**
   * A member was lost before the last one was taken. A renewed one is taken again; a fixed one ends
   * the request.
   */
  private void lost(Member member) {
    if (member.isRenewed()) {
      giveBack(List.of(member));
      round();
    } else {
      failure = MultiAttempt.lostWhileTaking(member, members.size());
      end();
    }
  }

  /**
   * Completes the request without a lease, as soon as the members that it took are free for others.
   */
  private void end() {
    Throwable why = failure;
    LeaseOutcome refused =
        new LeaseOutcome(null, left() <= 0 && wait != LeaseSource.NOT ? null : heldBy);
    CompletableFuture<Void> unused =
        released(members).thenRun(() -> Futures.complete(claimed, refused, why));
  }

  private void giveBack(List<Member> unwanted) {
    CompletableFuture<Void> unused = released(unwanted);
  }

  /** Completes when the stores have answered the release of those that were held. */
  private CompletableFuture<Void> released(List<Member> unwanted) {
    return Futures.settled(
        unwanted.stream()
            .map(held::remove)
            .filter(Objects::nonNull)
            .map(each -> each.releasing(0))
            .toList());
  }
}
