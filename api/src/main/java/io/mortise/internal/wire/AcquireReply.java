package io.mortise.internal.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reply of an acquire script. Replies of all kinds of lock are decoded here only. */
public sealed interface AcquireReply {
  /**
   * The id holds the lock, with at least the requested lease.
   *
   * @param token the first of its fencing tokens, or 0 if the lock is not fenced
   */
  record Held(long token) implements AcquireReply {}

  /**
   * The id is in the queue.
   *
   * @param left the milliseconds until the lock may be free, negative if there is no such time
   * @param ticket the id's place; it is sent again in case the id fell out of the queue
   * @param serverTime the time of the reply by the server's clock (us)
   * @param complaint the server's error, if it refused the message to the waiter that was granted
   *     the lock
   */
  record Waiting(long left, long ticket, long serverTime, @Nullable String complaint)
      implements AcquireReply {}

  /**
   * Another id holds the lock, and this id is not in the queue.
   *
   * @param left the milliseconds until the lock may be free, negative if there is no such time
   * @param holder an id that holds it, if the script gives one
   */
  record Busy(long left, @Nullable String holder) implements AcquireReply {}

  /** The id has a tombstone: it was withdrawn or revoked before this command ran. */
  record TooLate() implements AcquireReply {}

  /** The key holds another program's data. */
  record Foreign(String found) implements AcquireReply {}

  /** The permits of the semaphore are not set. */
  record Unset() implements AcquireReply {}

  /** The id wants more permits than the semaphore has. */
  record TooMany(long permits) implements AcquireReply {}

  /** The latch is open. The id holds nothing. */
  record Open() implements AcquireReply {}

  AcquireReply HELD = new Held(0);
  AcquireReply TOO_LATE = new TooLate();

  /** An optional element of a reply: null if the script left it out or sent an empty text. */
  static @Nullable String textAt(List<Object> reply, int index) {
    String text = index < reply.size() ? (String) reply.get(index) : "";
    return text.isEmpty() ? null : text;
  }

  /**
   * Whether the reply is an integer: the script did what it was sent for, and has nothing to add.
   */
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
