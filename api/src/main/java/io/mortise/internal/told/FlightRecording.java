package io.mortise.internal.told;

import io.mortise.Deadlock;
import io.mortise.HoldInfo;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import io.mortise.WaitInfo;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Writes waits, holds, losses and renewals into flight recordings. It is a listener, and is asked
 * first whether a recording is on. Times are those of {@link System#nanoTime}. Thread-safe.
 */
public final class FlightRecording implements LockListener {
  private FlightRecording() {}

  /** Null in a runtime without the module {@code jdk.jfr}. */
  public static @Nullable FlightRecording find() {
    try {
      FlightRecording found = new FlightRecording();
      boolean unused = found.isOn(); // links the classes of jdk.jfr
      return found;
    } catch (LinkageError e) {
      return null;
    }
  }

  /** Whether a recording wants waits or holds. As long as there was none, no event type is made. */
  public boolean isOn() {
    return FlightRecorder.isInitialized() && FlightEvents.areWanted();
  }

  @Override
  public void waiting(LockAttempt attempt) {
    FlightEvents.LockWait event = new FlightEvents.LockWait();
    event.begin();
    attempt.setContext(this, event);
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    endWait(attempt, "acquired", hold);
    FlightEvents.LockHold event = new FlightEvents.LockHold();
    event.begin();
    event.holdingThread = attempt.isLease() ? null : Thread.currentThread();
    attempt.setContext(this, event);
  }

  @Override
  public void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {
    endWait(attempt, FlightEvents.text(outcome), null);
  }

  private void endWait(LockAttempt attempt, String outcome, @Nullable LockHold got) {
    if (attempt.context(this) instanceof FlightEvents.LockWait event) {
      event.end();
      if (event.shouldCommit()) {
        event.lock = attempt.name();
        event.kind = FlightEvents.text(attempt.kind());
        event.outcome = outcome;
        event.via = got == null ? "none" : FlightEvents.text(got.via());
        event.holder = got == null ? "" : got.holder();
        ToldHold.WaitReply lastWait = got instanceof ToldHold told ? told.lastWait() : null;
        if (lastWait != null) {
          event.serverTime = lastWait.serverTime();
          event.replyAge = System.nanoTime() - lastWait.at();
          event.roundTrip = lastWait.roundTrip();
        }
        event.commit();
      }
    }
  }

  @Override
  public void released(LockHold hold) {
    endHold(hold, "released");
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    endHold(hold, "lost");
  }

  private void endHold(LockHold hold, String how) {
    if (hold.attempt().context(this) instanceof FlightEvents.LockHold event) {
      event.end();
      if (event.shouldCommit()) {
        event.lock = hold.attempt().name();
        event.kind = FlightEvents.text(hold.attempt().kind());
        event.holder = hold.holder();
        event.end = how;
        event.via = FlightEvents.text(hold.via());
        event.commit();
      }
    }
  }

  @Override
  public void leaseChanged(LeaseChange change) {
    if (change.state() == LeaseState.LOST && FlightRecorder.isInitialized()) {
      FlightEvents.LeaseLost event = new FlightEvents.LeaseLost();
      event.lock = change.name();
      event.holder = change.holder();
      event.cause = change.cause().map(FlightEvents::text).orElse("");
      event.reason = change.reason();
      event.commit();
    }
  }

  @Override
  public void deadlocked(Deadlock deadlock) {
    if (FlightRecorder.isInitialized()) {
      FlightEvents.Deadlock event = new FlightEvents.Deadlock();
      event.threads = deadlock.parties().size();
      event.text = deadlock.toString();
      event.commit();
    }
  }

  /** A renewal is on its way; null if no recording was ever on. */
  public @Nullable Object beginRenewal() {
    if (!FlightRecorder.isInitialized()) {
      return null;
    }
    FlightEvents.LeaseRenewal event = new FlightEvents.LeaseRenewal();
    event.begin();
    return event;
  }

  /**
   * The renewal is over.
   *
   * @param begun what {@link #beginRenewal} returned
   */
  public void endRenewal(@Nullable Object begun, int holds, boolean ok) {
    if (begun instanceof FlightEvents.LeaseRenewal event) {
      event.end();
      event.holds = holds;
      event.outcome = ok ? "ok" : "failed";
      event.commit();
    }
  }

  /**
   * At the begin and end of each chunk, writes what a service holds, and what waits in it.
   *
   * @return ends that
   */
  public Runnable follow(Supplier<List<HoldInfo>> holds, Supplier<List<WaitInfo>> waits) {
    return new FlightStates(holds, waits).begin()::end;
  }
}
