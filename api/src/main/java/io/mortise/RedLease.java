package io.mortise;

import io.mortise.engine.Claimed;
import io.mortise.engine.Claimer;
import io.mortise.engine.Member;
import io.mortise.engine.Turns;
import io.mortise.spi.TimeSource.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A majority's leases as one. Looks after itself three times a lease: tells when it is in danger or
 * over, and takes members again that have lost it. Such a member counts only from the next look on,
 * if a majority has held without it until then: counting it at once could hide that exclusion was
 * broken in between. Thread-safe; its own fields are used in turns.
 */
final class RedLease extends CompositeLease {
  private final Map<Member, Lease> counted = new HashMap<>();
  private final Map<Member, Lease> healing = new HashMap<>();
  private final Map<Member, CompletableFuture<Claimed>> asked = new HashMap<>();
  private final RedMembers of;
  private final Consumer<LeaseLost> told;
  private final Turns turns = new Turns();
  private LeaseState before = LeaseState.HELD;

  RedLease(RedMembers of, Map<Member, Lease> held, Consumer<LeaseLost> told) {
    super(of.name(), of.quorum(), of.margin(), of.time(), of::execute, held.values());
    this.of = of;
    this.told = told;
    counted.putAll(held);
  }

  /** To be called once, when it is complete. */
  @Override
  void watch() {
    super.watch();
    Lease unused = onLost(told);
    lookLater(new WeakReference<>(this), of, remaining());
  }

  /** A lease that nobody refers to any more is looked after no more. */
  private static void lookLater(WeakReference<RedLease> lease, RedMembers of, Duration remaining) {
    Duration third = of.lease().dividedBy(3);
    Duration next = remaining.compareTo(third) < 0 ? remaining : third;
    of.time()
        .schedule(
            () -> {
              RedLease still = lease.get();
              if (still != null) {
                still.turns.run(still::look);
              }
            },
            next.plusMillis(1));
  }

  /** A member answered late, in the attempt that acquired the others. */
  void late(Member member, Lease lease) {
    turns.run(() -> count(member, lease));
  }

  private void count(Member member, Lease lease) {
    counted.put(member, lease);
    add(lease);
  }

  private void look() {
    LeaseState now = state();
    if (now == LeaseState.LOST || now == LeaseState.RELEASED) {
      giveBackHealing();
      return;
    }
    if (now == LeaseState.SUSPECT && before == LeaseState.HELD) {
      LeaseLost event =
          new LeaseLost(name(), now, "", remaining(), "fewer than a majority were renewed");
      of.execute(() -> told.accept(event));
    }
    if (now == LeaseState.HELD && before == LeaseState.HELD && of.isRenewed()) {
      countHealed();
      heal();
    }
    before = now;
    lookLater(new WeakReference<>(this), of, remaining());
  }

  /** Those taken again a look ago count from now on. */
  private void countHealed() {
    for (Iterator<Map.Entry<Member, Lease>> all = healing.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Member, Lease> each = all.next();
      all.remove();
      if (each.getValue().isValid()) {
        count(each.getKey(), each.getValue());
      }
    }
  }

  private void heal() {
    asked.values().forEach(each -> each.cancel(false));
    asked.clear();
    for (Member each : of.all()) {
      Lease lease = counted.get(each);
      if (lease == null || !lease.isValid()) {
        CompletableFuture<Claimed> claimed = new CompletableFuture<>();
        asked.put(each, claimed);
        CompletableFuture<Void> unused =
            claimed.thenAccept(answer -> turns.run(() -> healed(each, answer.lease())));
        each.claim(Claimer.NOT, claimed);
      }
    }
  }

  private void healed(Member member, @Nullable Lease lease) {
    if (lease == null) {
      return;
    }
    if (isOver()) {
      giveBack(lease);
    } else {
      healing.put(member, lease);
    }
  }

  private void giveBackHealing() {
    asked.values().forEach(each -> each.cancel(false));
    healing.values().forEach(RedLease::giveBack);
    healing.clear();
  }

  /**
   * When a majority has released, or was not held, and the others had as long as a member may take
   * to answer.
   */
  @Override
  CompletableFuture<Void> settled(List<CompletableFuture<Void>> releases) {
    CompletableFuture<Void> settled = super.settled(releases);
    CompletableFuture<Void> late = new CompletableFuture<>();
    Timer timer = of.time().schedule(() -> of.execute(() -> late.complete(null)), of.nodeTimeout());
    int notHeld = of.all().size() - releases.size();
    AtomicInteger missing = new AtomicInteger(of.quorum() - notHeld);
    for (CompletableFuture<Void> each : releases) {
      CompletableFuture<Void> unused =
          each.thenRun(() -> {
            if (missing.decrementAndGet() == 0) {
              CompletableFuture<Void> ignored = late.thenRun(() -> settled.complete(null));
            }
          });
    }
    CompletableFuture<Void> unused = settled.whenComplete((done, failure) -> timer.close());
    return settled;
  }

  @Override
  void ended() {
    turns.run(this::giveBackHealing);
  }
}
