package io.mortise.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.mortise.Kind;
import io.mortise.LockAttempt.Outcome;
import io.mortise.LockHold.Via;
import io.mortise.LossCause;
import java.util.concurrent.TimeUnit;

/** The meters of the locks of one kind and group. Thread-safe. */
final class GroupMeters {
  private enum End {
    RELEASED,
    LOST
  }

  private final MeterRegistry registry;
  private final Tags tags;
  private final MeterTable<Via, Timer> acquired;
  private final MeterTable<Outcome, Timer> notAcquired;
  private final MeterTable<End, Timer> ended;
  private final MeterTable<LossCause, Counter> lost;

  GroupMeters(MeterRegistry registry, Kind kind, String group) {
    this.registry = registry;
    tags = Tags.of(MeterTable.tag("kind", kind), Tag.of("group", group));
    acquired = new MeterTable<>(via -> wait("acquired", MeterTable.text(via)));
    notAcquired = new MeterTable<>(outcome -> wait(MeterTable.text(outcome), "none"));
    ended = new MeterTable<>(this::hold);
    lost = new MeterTable<>(this::loss);
  }

  void acquired(Via via, long waitedNanos) {
    acquired.of(via).record(waitedNanos, TimeUnit.NANOSECONDS);
  }

  void notAcquired(Outcome outcome, long waitedNanos) {
    notAcquired.of(outcome).record(waitedNanos, TimeUnit.NANOSECONDS);
  }

  void released(long heldNanos) {
    ended.of(End.RELEASED).record(heldNanos, TimeUnit.NANOSECONDS);
  }

  void lost(LossCause cause, long heldNanos) {
    lost.of(cause).increment();
    ended.of(End.LOST).record(heldNanos, TimeUnit.NANOSECONDS);
  }

  private Timer wait(String outcome, String via) {
    return Timer.builder("mortise.lock.wait")
        .description("From the call that asks for a lock to the end of that attempt")
        .tags(tags.and("outcome", outcome, "via", via))
        .register(registry);
  }

  private Timer hold(End end) {
    return Timer.builder("mortise.lock.hold")
        .description("From the acquisition of a lock to its release or loss")
        .tags(tags.and(MeterTable.tag("end", end)))
        .register(registry);
  }

  private Counter loss(LossCause cause) {
    return Counter.builder("mortise.lock.lost")
        .description("Holds that ended without a release")
        .tags(tags.and(MeterTable.tag("cause", cause)))
        .register(registry);
  }
}
