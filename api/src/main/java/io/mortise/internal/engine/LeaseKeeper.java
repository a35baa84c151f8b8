package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.AcquireReply.NotReplicated;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all holds of a service, and reports those that end.
 *
 * <p>One timer runs while anything is held. It fires thirty times per lease, but at most every 3
 * ms. At each run:
 *
 * <ul>
 *   <li>Holds that were last renewed a third of the lease ago are renewed. One command renews a
 *       hundred of them, or in a cluster one, and all commands are sent at once.
 *   <li>A hold whose deadline falls before the next run gets a timer of its own.
 *   <li>If the machine may have been suspended ({@link ClockSteps}), all holds are suspect. The
 *       renewed ones are renewed at once. For each fixed one the store is asked whether it has it
 *       still, by a renewal that makes nothing longer.
 * </ul>
 *
 * <p>So acquiring and releasing a lock costs the keeper nothing. Only the first hold of many costs
 * one timer.
 */
public final class LeaseKeeper {
  private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int BATCH = 100;

  /** What the renew script answers for a hold whose lease it has renewed. */
  private static final long RENEWED = 1;

  private static final int BEATS_PER_LEASE = 30;
  private static final long SHORTEST_BEAT = Duration.ofMillis(3).toNanos();
  private static final int LEASES_BEFORE_WARNING = 10;

  /** Makes no lease longer: the shortest that the renew script takes. So it only asks. */
  private static final LeaseTerms LOOK =
      new LeaseTerms(1_000_000, "1", false, LeaseTerms.UNLIMITED);

  private static final Loss KEY_GONE =
      new Loss(LossCause.KEY_GONE, "its key was deleted, or is no longer this acquisition's");

  private final Store store;
  private final Acquisitions acquisitions;
  private final LeaseEvents events;
  private final long lease;
  private final long period;

  private final Heartbeat beat;

  LeaseKeeper(Store store, Acquisitions acquisitions, LeaseEvents events, Runnable alsoLook) {
    this.store = store;
    this.acquisitions = acquisitions;
    this.events = events;
    lease = store.options().leaseTime().toNanos();
    period = Math.max(SHORTEST_BEAT, lease / BEATS_PER_LEASE);
    beat = new Heartbeat(store, period, () -> look(alsoLook), acquisitions::isAnyHeld);
  }

  /** Called before an acquisition is taken: no hold begins that would not be renewed. */
  void start() {
    beat.start();
  }

  /** Called once for each acquisition that has just been taken. */
  void watch(Acquisition taken) {
    if (taken.lease().untilLost(store.now()) <= period + period / 2) {
      timeEnd(taken);
    }
    beat.start();
  }

  private void look(Runnable alsoLook) {
    long now = store.now();
    List<Acquisition> due = new ArrayList<>();
    for (Acquisition acquisition : acquisitions.all()) {
      if (acquisition.lease().isHeld() && needsRenewal(acquisition, now)) {
        due.add(acquisition);
      }
    }
    if (!due.isEmpty()) {
      renew(due);
    }
    alsoLook.run(); // last: no lease depends on it
  }

  /** What one of them throws concerns no other, and not its next look. */
  private boolean needsRenewal(Acquisition held, long now) {
    try {
      if (held.lease().untilLost(now) <= 2 * period) {
        timeEnd(held);
      }
      if (held.lease().doubt() > 0) {
        doubt(held);
      }
      return held.lease().terms().renewed() && isDue(held, now) && hasLivingOwner(held);
    } catch (Throwable e) {
      log.error("{}: a look at it failed", held.keys().text(), e);
      held.lease().endRenewal();
      return false;
    }
  }

  private boolean isDue(Acquisition held, long now) {
    boolean third = now - held.lease().renewedAt() >= lease / 3 - period / 2;
    return (third || held.lease().doubt() > 0) && held.lease().beginRenewal();
  }

  private void doubt(Acquisition held) {
    suspect(held, "the machine may have been suspended for " + seconds(held.lease().doubt()));
    if (!held.lease().terms().renewed() && held.lease().beginRenewal()) {
      CompletableFuture<Boolean> unused =
          settleAsync(held).whenComplete((done, failure) -> held.lease().endRenewal());
    }
  }

  private static String seconds(long nanos) {
    return Duration.ofNanos(nanos).toMillis() / 1_000.0 + " s";
  }

  /**
   * Asks the store about a hold, if only the store can say that it is still held.
   *
   * @return false if it is not held any more, or the store has not said so
   */
  public boolean settle(Acquisition held, long now) {
    if (!held.lease().isUnsure(now)) {
      return true;
    }
    try {
      return extend(held, asking(held));
    } catch (LockException e) {
      failed(held, String.valueOf(e.getMessage()));
      return false;
    }
  }

  /** Asks as {@link #settle} does, in any case. It completes where the reply is delivered. */
  CompletableFuture<Boolean> settleAsync(Acquisition held) {
    return extendAsync(held, asking(held))
        .exceptionally(failure -> {
          failed(held, String.valueOf(failure));
          return false;
        });
  }

  private LeaseTerms asking(Acquisition held) {
    return held.lease().terms().renewed() ? store.defaultLease() : LOOK;
  }

  private boolean hasLivingOwner(Acquisition held) {
    Acquisition.Grant.Holder holder = held.grant().holder(held);
    if (holder == null) {
      return isWanted(held);
    }
    warnOfLongHold(held, holder);
    warnOfOwnWait(held, holder);
    if (holder.gone() == null) {
      return true;
    }
    if (held.lease().warnOnce(HeldLease.Warning.OWNER_DIED)) {
      log.warn(
          "{}: {} {}; renewal stops and the lease ends in {} ms (docs/troubleshooting.md#owner-died)",
          held.keys().text(),
          Names.shown(holder.who()),
          holder.gone(),
          Duration.ofNanos(held.lease().remaining(store.now())).toMillis());
    }
    held.lease().endRenewal();
    return false;
  }

  /**
   * A hold that is retained is not renewed, until a thread takes it over. One that was handed off
   * is renewed, and its gate lets it lie for a short time only.
   */
  private static boolean isWanted(Acquisition held) {
    boolean wanted = !held.grant().retains(held);
    if (!wanted) {
      held.lease().endRenewal();
    }
    return wanted;
  }

  private void warnOfLongHold(Acquisition held, Acquisition.Grant.Holder holder) {
    long heldFor = store.now() - holder.since();
    if (heldFor > LEASES_BEFORE_WARNING * lease
        && held.lease().warnOnce(HeldLease.Warning.LONG_HOLD)) {
      log.warn(
          "{} has been held by {} for {} s and is still renewed (docs/troubleshooting.md#long-hold)",
          held.keys().text(),
          Names.shown(holder.who()),
          Duration.ofNanos(heldFor).toSeconds());
    }
  }

  /**
   * A thread that waits for its own lease is no error: another thread may be about to release it.
   */
  private void warnOfOwnWait(Acquisition held, Acquisition.Grant.Holder holder) {
    Thread waiting = held.grant().waitingForItself();
    if (waiting != null && held.lease().warnOnce(HeldLease.Warning.OWN_WAIT)) {
      log.warn(
          "{}: thread {} ({}) waits for it, and has itself acquired {}, {} s ago; unless another thread releases that, the wait does not end (docs/troubleshooting.md#own-lease)",
          held.keys().text(),
          Names.shown(waiting),
          waiting.getId(),
          Names.shown(holder.who()),
          Duration.ofNanos(store.now() - holder.since()).toSeconds());
    }
  }

  // Renewal

  private void renew(List<Acquisition> due) {
    try {
      sendRenewals(due);
    } catch (Throwable e) { // an Error too: a renewal that is out for ever is the last one
      due.forEach(each -> each.lease().endRenewal());
      throw e;
    }
  }

  private void sendRenewals(List<Acquisition> due) {
    List<List<Acquisition>> batches = new ArrayList<>();
    int most = store.anyKeys() ? BATCH : 1;
    for (int from = 0; from < due.size(); from += most) {
      batches.add(due.subList(from, Math.min(due.size(), from + most)));
    }
    long sentAt = store.now();
    List<ScriptCall> calls =
        batches.stream().map(batch -> store.scripts().renew(batch, store.defaultLease())).toList();
    List<CompletableFuture<List<Object>>> replies = store.batcher().sendAll(calls);
    for (int i = 0; i < replies.size(); i++) {
      List<Acquisition> batch = batches.get(i);
      LeaseEvents.Renewing renewing = events.renewing(batch.size(), sentAt);
      Futures.whenReplied(
          replies.get(i), (reply, failure) -> replied(batch, reply, failure, sentAt, renewing));
    }
  }

  /** If the store refuses a renewal of several holds, one command renews one hold from now on. */
  private void replied(
      List<Acquisition> batch,
      @Nullable List<Object> reply,
      @Nullable Throwable failure,
      long sentAt,
      LeaseEvents.Renewing renewing) {
    if (batch.size() > 1 && reply == null && store.refusedForSlots(failure)) {
      renew(batch);
      return;
    }
    batch.forEach(each -> each.lease().endRenewal());
    NotReplicated few = reply == null ? null : NotReplicated.of(reply, store.replicaAcks());
    renewing.ended(reply != null && few == null, store.now());
    if (reply != null) {
      answered(batch, reply, few, sentAt);
    } else {
      batch.forEach(held -> failed(held, String.valueOf(failure)));
    }
  }

  private void answered(
      List<Acquisition> batch, List<Object> reply, @Nullable NotReplicated few, long sentAt) {
    for (int i = 0; i < batch.size(); i++) {
      long answer = (Long) reply.get(i);
      if (few != null && answer == RENEWED) {
        failed(batch.get(i), few.toString());
      } else {
        confirm(batch.get(i), store.defaultLease(), answer, sentAt);
      }
    }
  }

  /**
   * Applies the renew script's answer for one hold.
   *
   * @return whether it is held
   */
  boolean confirm(Acquisition held, LeaseTerms policy, long answer, long sentAt) {
    if (answer != RENEWED) {
      boolean over = held.lease().remaining(store.now()) == 0; // the store ended it too
      held.lose(over ? whyEnded(held) : KEY_GONE);
      return false;
    }
    boolean untold = held.grant().retains(held); // first: a hold in doubt keeps its grant
    LeaseTerms whole = store.defaultLease();
    long now = store.now();
    LeaseState before =
        policy.equals(LOOK)
            ? held.lease().looked(sentAt, now)
            : held.lease().renewed(policy, whole, sentAt, now, store.longestHold());
    if (before == LeaseState.SUSPECT && !untold && held.lease().isValid(now)) {
      events.recovered(held, store.now());
    }
    if (before == LeaseState.LOST) {
      held.lose(whyEnded(held));
    } else if (policy.equals(LOOK)) {
      timeEnd(held); // which may be earlier now
    }
    return held.lease().isHeld();
  }

  // Longer leases

  /**
   * Makes sure that a hold has at least the lease that a nested acquisition asks for. A fixed lease
   * is made longer, or renewed from now on.
   *
   * @param now when the caller has found it held
   * @return whether it is still held
   */
  public boolean ensureLease(Acquisition held, LeaseTerms wanted, long now) {
    LeaseTerms has = held.lease().terms();
    boolean enough =
        wanted.renewed() ? has.renewed() : wanted.nanos() <= held.lease().remaining(now);
    if (enough) {
      return settle(held, now);
    }
    held.lease().lengthen();
    return extend(held, wanted.renewedIf(has.renewed() || wanted.renewed()));
  }

  /**
   * Makes a lease last at least that long from now.
   *
   * @return whether it is still held
   */
  boolean extend(Acquisition held, LeaseTerms to) {
    long sentAt = store.now();
    List<Object> reply =
        store.execute(held.keys(), store.scripts().renew(List.of(held), to), extending(held));
    return extended(held, to, reply, sentAt);
  }

  /** As {@link #extend}; the future completes on the thread that delivers the reply. */
  CompletableFuture<Boolean> extendAsync(Acquisition held, LeaseTerms to) {
    long sentAt = store.now();
    return store
        .executeAsync(held.keys(), store.scripts().renew(List.of(held), to), extending(held))
        .thenApply(reply -> extended(held, to, reply, sentAt));
  }

  private boolean extended(Acquisition held, LeaseTerms to, List<Object> reply, long sentAt) {
    long answer = (Long) reply.get(0);
    NotReplicated few = NotReplicated.of(reply, store.replicaAcks());
    if (few != null && answer == RENEWED) {
      throw Failures.notReplicated(few, extending(held), store.endpoint());
    }
    return confirm(held, to, answer, sentAt);
  }

  private static String extending(Acquisition held) {
    return "the lease of " + held.keys().text() + " was made longer";
  }

  private void failed(Acquisition held, String reason) {
    suspect(held, reason);
    if (held.lease().isUnsure(store.now())) {
      held.lose(whyEnded(held));
    }
  }

  private void suspect(Acquisition held, String reason) {
    if (held.lease().suspect(reason) && !held.grant().retains(held)) {
      events.suspect(held, reason, store.now());
    }
  }

  // Ends

  private void timeEnd(Acquisition held) {
    held.lease().timeEnd(store.time(), store.now(), () -> atDeadline(held));
  }

  private void atDeadline(Acquisition held) {
    if (store.isClosed() || !held.lease().isHeld()) {
      return;
    }
    if (held.lease().untilLost(store.now()) == 0) {
      held.lose(whyEnded(held));
    } else {
      timeEnd(held);
    }
  }

  /** Why a lease ended without a release, as far as is known. */
  public Loss whyEnded(Acquisition held) {
    long now = store.now();
    if (held.lease().isUnsure(now)) {
      return new Loss(
          LossCause.EXPIRED,
          "its lease ended: the machine was suspended, or its clock was set, by "
              + seconds(held.lease().doubt()));
    }
    if (!held.lease().terms().renewed()) {
      return new Loss(
          LossCause.EXPIRED,
          "its lease ended, which was fixed at %s ms".formatted(held.lease().terms().millis()));
    }
    if (held.lease().isAtLimit()) {
      return new Loss(
          LossCause.MAX_HOLD,
          "its lease ended: it was held for as long as " + limitOf(held) + " allows");
    }
    Acquisition.Grant.Holder holder = held.grant().holder(held);
    if (holder != null && holder.gone() != null) {
      return new Loss(
          LossCause.OWNER_DIED,
          "its lease ended: %s %s, so it was not renewed"
              .formatted(Names.shown(holder.who()), holder.gone()));
    }
    String trouble = held.lease().lastTrouble();
    return trouble == null
        ? new Loss(LossCause.EXPIRED, "its lease ended before a renewal was answered")
        : new Loss(
            LossCause.UNREACHABLE,
            "its lease ended before a renewal succeeded; the last failed: " + trouble);
  }

  private String limitOf(Acquisition held) {
    long own = held.lease().terms().maxHold();
    long ofService = store.longestHold();
    return own < ofService
        ? "withMaxHold(%s)".formatted(Duration.ofNanos(own))
        : "maxHold %s".formatted(Duration.ofNanos(ofService));
  }

  void close() {
    beat.close();
    acquisitions.all().forEach(each -> each.lease().closeTimer());
  }
}
