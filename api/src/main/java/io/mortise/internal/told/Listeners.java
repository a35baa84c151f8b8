package io.mortise.internal.told;

import io.mortise.LockListener;
import io.mortise.internal.concurrent.Trampoline;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of one service, and the flight recording. What one of them throws is logged, and
 * the others are told. Thread-safe.
 */
public final class Listeners {
  private final List<LockListener> given;
  private final @Nullable FlightRecording recording;

  public Listeners(List<LockListener> given, @Nullable FlightRecording recording) {
    this.given = List.copyOf(given);
    this.recording = recording;
  }

  /**
   * Whether anybody wants to be told of attempts and holds. Without listeners it costs two looks.
   */
  public boolean wantHolds() {
    return areGiven() || (recording != null && recording.isOn());
  }

  /** Whether the application has set any. */
  public boolean areGiven() {
    return !given.isEmpty();
  }

  public @Nullable FlightRecording recording() {
    return recording;
  }

  /** Tells of attempts and holds. The flight recording is told only while it wants them. */
  public void tell(Consumer<LockListener> event) {
    tellGiven(event);
    FlightRecording last = recording;
    if (last != null && last.isOn()) {
      Trampoline.guarded(event, last);
    }
  }

  /** Tells of what is rare: a lease or a deadlock. Any flight recording wants that. */
  public void tellRare(Consumer<LockListener> event) {
    tellGiven(event);
    FlightRecording last = recording;
    if (last != null) {
      Trampoline.guarded(event, last);
    }
  }

  private void tellGiven(Consumer<LockListener> event) {
    for (LockListener to : given) {
      Trampoline.guarded(event, to);
    }
  }
}
