package io.mortise.internal.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the acquire script answers, decoded in this one place. */
public sealed interface AcquireReply {
  /**
   * The id holds the lock, with at least the lease asked for.
   *
   * @param token the first of its fencing tokens, or 0
   */
  record Held(long token) implements AcquireReply {}

  /**
   * The id is in the queue.
   *
   * @param left milliseconds left of the lock, negative if none
   * @param ticket its place, to be sent again should it fall out of the queue
   * @param serverTime when the store said so, by its clock, in microseconds
   * @param complaint the server's error if it refused the message to whoever was granted the lock
   */
  record Waiting(long left, long ticket, long serverTime, @Nullable String complaint)
      implements AcquireReply {}

  /**
   * Somebody else holds the lock, and the id is not in the queue.
   *
   * @param left milliseconds left of the lock, negative if none
   * @param holder an id that holds it, if the script says
   */
  record Busy(long left, @Nullable String holder) implements AcquireReply {}

  /** The id was withdrawn before this command ran. */
  record TooLate() implements AcquireReply {}

  /** The key is somebody else's data. */
  record Foreign(String found) implements AcquireReply {}

  /** There is no semaphore: its permits were not set. */
  record Unset() implements AcquireReply {}

  /** The id wants more permits than the semaphore has. */
  record TooMany(long permits) implements AcquireReply {}

  /** The latch is open, and the id has nothing of it. */
  record Open() implements AcquireReply {}

  AcquireReply HELD = new Held(0);
  AcquireReply TOO_LATE = new TooLate();

  /** An element that a script leaves out, or empty, if there is nothing to say. */
  static @Nullable String textAt(List<Object> reply, int index) {
    String text = index < reply.size() ? (String) reply.get(index) : "";
    return text.isEmpty() ? null : text;
  }

  /** What a script says that did what it was sent for, and has nothing to add. */
  static boolean isDone(List<Object> reply) {
    return reply.get(0) instanceof Long;
  }

  static AcquireReply ofAcquire(List<Object> reply) {
    if (isDone(reply)) {
      return HELD;
    }
    return switch ((String) reply.get(0)) {
      case "HELD" -> new Held((Long) reply.get(1));
      case "WAIT" ->
          new Waiting(
              (Long) reply.get(1), (Long) reply.get(2), (Long) reply.get(3), textAt(reply, 4));
      case "BUSY" -> new Busy((Long) reply.get(1), textAt(reply, 2));
      case "TOO_LATE" -> TOO_LATE;
      case "UNSET" -> new Unset();
      case "TOO_MANY" -> new TooMany((Long) reply.get(1));
      case "OPEN" -> new Open();
      case "FOREIGN" -> new Foreign((String) reply.get(1));
      default -> throw new IllegalStateException("acquire script answered " + reply);
    };
  }
}
