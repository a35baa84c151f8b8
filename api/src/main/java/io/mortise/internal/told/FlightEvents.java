package io.mortise.internal.told;

import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The types of events in a flight recording. Each is on by default, above its threshold. */
final class FlightEvents {
  private static final LockWait WAIT = new LockWait();
  private static final LockHold HOLD = new LockHold();

  private FlightEvents() {}

  /** Whether a recording wants waits or holds. */
  static boolean areWanted() {
    return WAIT.isEnabled() || HOLD.isEnabled();
  }

  /** A constant as the events have it, as {@code timed-out}. */
  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** An attempt that had to wait, from the begin of its wait to its end. */
  @Name("io.mortise.LockWait")
  @Label("Lock Wait")
  @Category("Mortise")
  @Description("A wait for a distributed lock")
  @StackTrace(true)
  @Threshold("10 ms")
  static final class LockWait extends Event {
    @Label("Lock")
    String lock = "";

    @Label("Kind")
    String kind = "";

    @Label("Outcome")
    String outcome = "";

    @Label("Via")
    String via = "";

    @Label("Holder")
    @Description("The acquisition id that it got")
    String holder = "";

    @Label("Server Time")
    @Description("In the last reply that said to wait, in microseconds of the server's clock; or 0")
    long serverTime;

    @Label("Reply Age")
    @Description("From that reply to the end of the wait")
    @Timespan(Timespan.NANOSECONDS)
    long replyAge;

    @Label("Round Trip")
    @Description("From the command to that reply")
    @Timespan(Timespan.NANOSECONDS)
    long roundTrip;
  }

  /** A hold of a lock. */
  @Name("io.mortise.LockHold")
  @Label("Lock Hold")
  @Category("Mortise")
  @Description("A hold of a distributed lock")
  @StackTrace(true)
  @Threshold("1 s")
  static final class LockHold extends Event {
    @Label("Lock")
    String lock = "";

    @Label("Kind")
    String kind = "";

    @Label("Holder")
    @Description("The acquisition id")
    String holder = "";

    @Label("End")
    String end = "";

    @Label("Via")
    String via = "";

    @Label("Holding Thread")
    @Description("The thread that acquired it; none for a lease")
    @Nullable Thread holdingThread;
  }

  /** A hold that lasts, or an attempt that waits. */
  @Name("io.mortise.LockState")
  @Label("Lock State")
  @Category("Mortise")
  @Description("A hold of a distributed lock that lasts, or a wait for one")
  @StackTrace(false)
  @Period("everyChunk")
  static final class LockState extends Event {
    @Label("Lock")
    String lock = "";

    @Label("Kind")
    String kind = "";

    @Label("Holder")
    @Description("The acquisition id of a hold")
    String holder = "";

    @Label("Thread Name")
    String threadName = "";

    @Label("Since")
    @Timespan(Timespan.NANOSECONDS)
    long since;
  }

  /** The loss of a lease. */
  @Name("io.mortise.LeaseLost")
  @Label("Lease Lost")
  @Category("Mortise")
  @Description("A hold of a distributed lock ended without a release")
  @StackTrace(false)
  static final class LeaseLost extends Event {
    @Label("Lock")
    String lock = "";

    @Label("Holder")
    @Description("The acquisition id")
    String holder = "";

    @Label("Cause")
    String cause = "";

    @Label("Reason")
    String reason = "";
  }

  /** Threads that wait for each other. The process of the youngest of them records it. */
  @Name("io.mortise.Deadlock")
  @Label("Deadlock")
  @Category("Mortise")
  @Description("Threads that wait for each other's distributed locks")
  @StackTrace(false)
  static final class Deadlock extends Event {
    @Label("Threads")
    int threads;

    @Label("Text")
    @Description("One line for each thread, as the log has it")
    String text = "";
  }

  /** A command that renews leases. */
  @Name("io.mortise.LeaseRenewal")
  @Label("Lease Renewal")
  @Category("Mortise")
  @Description("A command that renews the leases of distributed locks")
  @StackTrace(false)
  @Threshold("100 ms")
  static final class LeaseRenewal extends Event {
    @Label("Holds")
    int holds;

    @Label("Outcome")
    String outcome = "";
  }
}
