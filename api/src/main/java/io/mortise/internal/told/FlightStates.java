package io.mortise.internal.told;

import io.mortise.HoldInfo;
import io.mortise.WaitInfo;
import java.util.List;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * What one service holds, and what waits in it, at the begin and end of each chunk of a recording.
 * So a hold that blocks everything is in a recording though it has not ended. Before the first
 * recording of the process no event type is made. Thread-safe.
 */
final class FlightStates implements FlightRecorderListener {
  private final Supplier<List<HoldInfo>> holds;
  private final Supplier<List<WaitInfo>> waits;
  private final Runnable hook = this::write;
  private volatile boolean ended;

  FlightStates(Supplier<List<HoldInfo>> holds, Supplier<List<WaitInfo>> waits) {
    this.holds = holds;
    this.waits = waits;
  }

  FlightStates begin() {
    FlightRecorder.addListener(this);
    return this;
  }

  @Override
  public void recorderInitialized(FlightRecorder recorder) {
    FlightRecorder.addPeriodicEvent(FlightEvents.LockState.class, hook);
    if (ended) { // the first recording began while the service was closed
      FlightRecorder.removePeriodicEvent(hook);
    }
  }

  void end() {
    ended = true;
    FlightRecorder.removeListener(this);
    if (FlightRecorder.isInitialized()) {
      FlightRecorder.removePeriodicEvent(hook);
    }
  }

  private void write() {
    for (HoldInfo each : holds.get()) {
      FlightEvents.LockState event = new FlightEvents.LockState();
      event.lock = each.name();
      event.kind = FlightEvents.text(each.kind());
      event.holder = each.holder();
      event.threadName = each.threadName().orElse("");
      event.since = each.heldFor().toNanos();
      event.commit();
    }
    for (WaitInfo each : waits.get()) {
      FlightEvents.LockState event = new FlightEvents.LockState();
      event.lock = each.name();
      event.kind = FlightEvents.text(each.kind());
      event.threadName = each.threadName().orElse("");
      event.since = each.waitingFor().toNanos();
      event.commit();
    }
  }
}
