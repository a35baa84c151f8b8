package io.mortise.conformance.outside;

import java.util.Collections;
import java.util.List;
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
 * @param resources the locks; empty for all
 * @param begin just before the fault began (ns)
 * @param end just after the fault was over (ns)
 * @param millis the step of a clock; 0 for other sorts
 */
record Fault(
    Sort sort,
    @Nullable String client,
    @Nullable String server,
    List<String> resources,
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
    COMPANION_DELETED,
    /** A master was killed, was replaced, and came back as a replica. */
    MASTER_KILL,
    /** A master was paused, was replaced, and went on. */
    MASTER_FREEZE,
    /** A replica became the master. */
    PROMOTION,
    /** The new master perhaps lacks the last writes of the old one. */
    LAST_WRITES_LOST(true),
    /** A master closed the links of all clients. */
    CLIENTS_CUT,
    /** The slot of the lock moved to another master and back. */
    SLOT_MOVED,
    /** As before, and the slot stayed on its way for a while. */
    SLOT_STUCK,
    /** A cluster refused everything, because a slot had no master. */
    SLOTS_GONE,
    /** A sentinel was killed, and came back. */
    SENTINEL_KILL,
    /** All sentinels were paused. */
    SENTINELS_FREEZE;

    private final boolean endsHolds;

    Sort() {
      this(false);
    }

    Sort(boolean endsHolds) {
      this.endsHolds = endsHolds;
    }

    /** Whether the contract promises nothing more for earlier holds, except as {@link #ends}. */
    boolean endsHolds() {
      return endsHolds;
    }

    /** Whether it ends a hold, and nothing tells its process before the next renewal. */
    boolean isUntold() {
      return this == DELETED || this == CLOCK_FORWARD;
    }

    /** Whether a client may have missed an action of the store. */
    boolean silences() {
      return switch (this) {
        case CLOCK_FORWARD, CLOCK_BACK, FORCED, DELETED, COMPANION_DELETED -> false;
        default -> true;
      };
    }

    /**
     * Whether an answer from before the fault may come late. A lost master gives no late answers: a
     * client asks the next master again.
     */
    boolean delaysAnswers() {
      return switch (this) {
        case MASTER_KILL, MASTER_FREEZE, PROMOTION, LAST_WRITES_LOST -> false;
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
        resources(begin.find("resource")),
        begin.at(),
        end,
        begin.number("millis", 0));
  }

  private static List<String> resources(@Nullable String text) {
    return text == null ? List.of() : List.of(text.split(",", -1));
  }

  boolean touches(Stay stay) {
    return touchesClient(stay.source())
        && (server == null || stay.servers().contains(server))
        && (resources.isEmpty() || !Collections.disjoint(resources, stay.resources()));
  }

  boolean touches(String resource) {
    return resources.isEmpty() || resources.contains(resource);
  }

  /**
   * Whether the contract promises nothing more for a hold that was acquired before. A master sends
   * its last writes to no replica when it is lost. A hold counts only when all replicas have it, if
   * its service waits for all of them. So one of them has it when it becomes the master.
   */
  boolean ends(Stay stay) {
    return sort.endsHolds() && !(sort == Sort.LAST_WRITES_LOST && stay.wants().replicated());
  }

  private boolean touchesClient(String source) {
    return client == null || source.equals(client) || source.startsWith(client + '.');
  }

  /** Whether the fault, or its aftermath of that length, overlaps the time between the two. */
  boolean isWithin(long from, long to, long aftermath) {
    return begin <= to && end + aftermath >= from;
  }
}
