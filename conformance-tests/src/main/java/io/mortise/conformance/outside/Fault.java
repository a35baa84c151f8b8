package io.mortise.conformance.outside;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that was done to the run, as the log tells it. What it names it touches: a fault with a
 * client and a server is one of the link between them, one with neither touches everybody.
 *
 * @param sort what was done
 * @param client whose process or links, such as {@code w1}, or one life of it, {@code w1.2}
 * @param server which server
 * @param resource which lock
 * @param begin just before it was done (ns)
 * @param end just after it was over (ns)
 * @param millis by how much a clock was moved; 0 for other sorts
 */
record Fault(
    Sort sort,
    @Nullable String client,
    @Nullable String server,
    @Nullable String resource,
    long begin,
    long end,
    long millis) {

  /** What was done. */
  enum Sort {
    /** A worker was killed. */
    KILL,
    /** A worker stood still. */
    FREEZE,
    /** A thread of a worker, or of the injector, had no processor for a while. */
    STALL,
    /** A link was cut; clients connect again at once. */
    CUT,
    /** A link held all bytes back, and was cut. */
    HALF_OPEN,
    /** A link held replies back, and was cut. */
    LATE_REPLIES,
    /** A link swallowed replies, and was cut. */
    LOST_REPLIES,
    /** A link was cut, and let nobody connect for a while. */
    REFUSE,
    /** A server stood still. */
    SERVER_FREEZE,
    /** A server was killed, and came back with all its data. */
    SERVER_RESTART,
    /** A server was killed, and came back without data. */
    SERVER_FORGET(true),
    /** The same, and it stayed away longer than the longest lease: what a red lock asks for. */
    SERVER_AWAY,
    /** A server's clock stepped forward. */
    CLOCK_FORWARD(true),
    /** A server's clock stepped back. */
    CLOCK_BACK,
    /** Somebody forced the lock open. */
    FORCED(true),
    /** The lock's key was deleted. */
    DELETED(true),
    /** Another key of the lock was deleted, which does not say who holds it. */
    COMPANION_DELETED;

    private final boolean endsHolds;

    Sort() {
      this(false);
    }

    Sort(boolean endsHolds) {
      this.endsHolds = endsHolds;
    }

    /** Whether the contract gives nothing any more for holds acquired before. */
    boolean endsHolds() {
      return endsHolds;
    }

    /** Whether somebody may not have heard of what the store did. */
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

  /** Whether any of it, or of what follows for that long, is between the two. */
  boolean isWithin(long from, long to, long aftermath) {
    return begin <= to && end + aftermath >= from;
  }
}
