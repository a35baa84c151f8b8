package io.mortise.internal.wire;

import io.mortise.spi.ReplicaAcks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reply of an acquire script. Replies of all kinds of lock are decoded here only. */
public sealed interface AcquireReply {
  /**
   * The id holds the lock, with at least the requested lease.
   *
   * @param token the first of its fencing tokens, or 0 if the lock is not fenced
   * @param complaint the server's error, if it did not tell the number of its failover
   * @param alone of an exclusive lock: whether nobody held it, waited for it or was remembered
   */
  record Held(long token, @Nullable String complaint, boolean alone) implements AcquireReply {}

  /**
   * The id is in the queue.
   *
   * @param left the milliseconds until the lock may be free, negative if there is no such time
   *     ({@link #AT_ONCE} if the script stopped before the first live waiter)
   * @param ticket the id's place; it is sent again in case the id fell out of the queue
   * @param time the server's time (us)
   * @param complaint the server's error, if it refused the message to the waiter that was granted
   *     the lock
   */
  record Waiting(long left, long ticket, long time, @Nullable String complaint)
      implements AcquireReply {}

  /**
   * Another id holds the lock, and this id is not in the queue.
   *
   * @param holder an id that holds it, if the script gives one
   * @param recalled whether the holder was just asked for it, and may give it back soon because no
   *     thread of its service is inside
   */
  record Busy(@Nullable String holder, boolean recalled) implements AcquireReply {}

  /** The id has a tombstone: it was withdrawn or revoked before this command ran. */
  record TooLate() implements AcquireReply {}

  /** The key holds another program's data. */
  record Foreign(String found) implements AcquireReply {}

  /** The permits of the semaphore are not set. */
  record Unset() implements AcquireReply {}

  /** The id wants more permits than the semaphore has. */
  record TooMany(long permits) implements AcquireReply {}

  /** A vote was asked for, and not given. The script did nothing. */
  sealed interface Refused extends AcquireReply {}

  /**
   * The server gives no vote now, or not to a caller that expects another process.
   *
   * @param process the server process that answered
   * @param rest the milliseconds until it votes; 0 if it would vote now
   * @param policy its maxmemory-policy, if it gives one
   */
  record NoVote(String process, long rest, @Nullable String policy) implements Refused {}

  /** The server votes for another set. */
  record OtherSet(String set) implements Refused {}

  /** The server does not say which process it is, so it cannot vote. */
  record Unnamed() implements Refused {}

  /** The latch is open. The id holds nothing. */
  record Open() implements AcquireReply {}

  /**
   * The id holds the lock, but fewer replicas have that than the service asks for.
   *
   * @param replicas how many have it
   * @param wanted what the service asks for
   */
  record NotReplicated(long replicas, ReplicaAcks wanted) implements AcquireReply {
    /**
     * Reads the number of replicas of a reply to an acquire or a renewal.
     *
     * @param acks what the service asks of replicas, or null
     * @return null if enough replicas have it
     */
    public static @Nullable NotReplicated of(List<Object> reply, @Nullable ReplicaAcks acks) {
      if (acks == null) {
        return null;
      }
      long replicas = (Long) reply.get(reply.size() - 1);
      return replicas < acks.replicas() ? new NotReplicated(replicas, acks) : null;
    }

    @Override
    public String toString() {
      return "%d of %d replicas confirmed it within %d ms"
          .formatted(replicas, wanted.replicas(), wanted.timeout().toMillis());
    }
  }

  AcquireReply ALONE = new Held(0, null, true);
  AcquireReply HELD = new Held(0, null, false);
  AcquireReply TOO_LATE = new TooLate();

  /** What a reply WAIT says instead of a time if its id is to ask again at once. */
  long AT_ONCE = -1;

  /** The last element of a reply whose script stopped before the first live waiter. */
  String MORE = "more";

  /**
   * Whether the script of a release stopped before the first live waiter, so that another one is to
   * go on at once.
   */
  static boolean stoppedEarly(List<Object> reply) {
    return reply.get(reply.size() - 1).equals(MORE);
  }

  /** Where a reply BUSY says that the holder was just asked. */
  int RECALLED = 3;

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

  /**
   * Decodes a reply.
   *
   * @param acks what the service asks of replicas, or null
   */
  static AcquireReply ofAcquire(List<Object> reply, @Nullable ReplicaAcks acks) {
    if (acks == null) {
      return ofAcquire(reply);
    }
    NotReplicated few = NotReplicated.of(reply, acks);
    AcquireReply seen = ofAcquire(reply.subList(0, reply.size() - 1));
    return seen instanceof Held && few != null ? few : seen;
  }

  private static AcquireReply ofAcquire(List<Object> reply) {
    if (isDone(reply)) {
      return reply.get(0).equals(1L) ? ALONE : HELD;
    }
    return switch ((String) reply.get(0)) {
      case "HELD" -> new Held((Long) reply.get(1), textAt(reply, 2), false);
      case "WAIT" ->
          new Waiting(
              (Long) reply.get(1), (Long) reply.get(2), (Long) reply.get(3), textAt(reply, 4));
      case "BUSY" -> new Busy(textAt(reply, 2), reply.size() > RECALLED);
      case "TOO_LATE" -> TOO_LATE;
      case "UNSET" -> new Unset();
      case "TOO_MANY" -> new TooMany((Long) reply.get(1));
      case "OPEN" -> new Open();
      case "NO_VOTE" -> new NoVote((String) reply.get(1), (Long) reply.get(2), textAt(reply, 3));
      case "OTHER_SET" -> new OtherSet((String) reply.get(1));
      case "UNNAMED" -> new Unnamed();
      case "FOREIGN" -> new Foreign((String) reply.get(1));
      default -> throw new IllegalStateException("acquire script answered " + reply);
    };
  }
}
