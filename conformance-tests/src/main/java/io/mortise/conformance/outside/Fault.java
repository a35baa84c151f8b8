package io.mortise.conformance.outside;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A disturbance of the run, as the log has it. It touches the parts that it has fields for. A fault
 * with a client and a server is one of the link between them. A fault with neither touches
 * everything.
 *
 * @param sort the kind of disturbance
 * @param client the worker whose process or links it touches, such as {@code w1}, or one of its
 *     processes, {@code w1.2}
 * @param server the server
 * @param resource the lock
 * @param begin just before the fault began (ns)
 * @param end just after the fault was over (ns)
 * @param millis the step of a clock; 0 for other sorts
 */
record Fault(
    Sort sort,
    @Nullable String client,
    @Nullable String server,
    @Nullable String resource,
    long begin,
    long end,
    long millis) {

  /** The kinds of fault. */
  enum Sort {
    /** A worker was killed. */
    KILL,
    /** A worker was paused. */
    FREEZE,
    /** A thread of a worker, or of the injector, got no processor for a while. */
    STALL,
    /** A link was cut. Clients connect again at once. */
    CUT,
    /** A link held back all bytes, and was cut. */
    HALF_OPEN,
    /** A link held back replies, and was cut. */
    LATE_REPLIES,
    /** A link dropped replies, and was cut. */
    LOST_REPLIES,
    /** A link was cut, and refused connections for a while. */
    REFUSE,
    /** A server was paused. */
    SERVER_FREEZE,
    /** A server was killed, and came back with all its data. */
    SERVER_RESTART,
    /** A server was killed, and came back without data. */
    SERVER_FORGET(true),
    /** As before, with a downtime longer than the longest lease, which a Redlock requires. */
    SERVER_AWAY,
    /** A server's clock stepped forward. */
    CLOCK_FORWARD(true),
    /** A server's clock stepped back. */
    CLOCK_BACK,
    /** A client forced the lock open. */
    FORCED(true),
    /** The lock's key was deleted. */
    DELETED(true),
    /** Another key of the lock was deleted, one that does not record the holder. */
    COMPANION_DELETED;

    private final boolean endsHolds;

    Sort() {
      this(false);
    }

    Sort(boolean endsHolds) {
      this.endsHolds = endsHolds;
    }

    /** Whether the contract promises nothing more for earlier holds. */
    boolean endsHolds() {
      return endsHolds;
    }

    /** Whether a client may have missed an action of the store. */
    boolean silences() {
      return switch (this) {
        case CLOCK_FORWARD, CLOCK_BACK, FORCED, DELETED, COMPANION_DELETED -> false;
        default -> true;
      };
    }

    static Sort parse(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  static Fault of(LogLine begin, long end) {
    return new Fault(
        Sort.parse(begin.text("sort")),
        begin.find("client"),
        begin.find("server"),
        begin.find("resource"),
        begin.at(),
        end,
        begin.number("millis", 0));
  }

  boolean touches(Stay stay) {
    return touchesClient(stay.source())
        && (server == null || stay.servers().contains(server))
        && (resource == null || stay.resources().contains(resource));
  }

  private boolean touchesClient(String source) {
    return client == null || source.equals(client) || source.startsWith(client + '.');
  }

  /** Whether the fault, or its aftermath of that length, overlaps the time between the two. */
  boolean isWithin(long from, long to, long aftermath) {
    return begin <= to && end + aftermath >= from;
  }
}
