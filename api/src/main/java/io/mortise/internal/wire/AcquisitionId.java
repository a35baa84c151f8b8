package io.mortise.internal.wire;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an acquisition's id says: {@code client:sequence:thread}, and what the scripts tell kinds
 * by. Ids are written and read here alone.
 *
 * <ul>
 *   <li>{@code :n}, the reply to a release may grant the lock to it
 *   <li>{@code :r}, it reads
 *   <li>{@code :p3}, it wants three permits
 * </ul>
 *
 * @param client of the holder; the whole id, if it is in no known form
 * @param host of the holder, or empty
 * @param pid of the holder's process, or -1
 * @param threadId of the holder, or -1
 */
public record AcquisitionId(String client, String host, long pid, long threadId) {
  /** {@code host~pid~random:sequence:thread}, and what a kind of lock adds. */
  private static final Pattern OURS =
      Pattern.compile("((.+)~(\\d{1,18})~[0-9a-f]+):\\d+:(\\d{1,18})(:.*)?");

  /** {@code client:thread}, as Redisson writes it. */
  private static final Pattern ANY = Pattern.compile("(.+):(\\d{1,18})");

  /**
   * A new id.
   *
   * @param sequence never used before by this client
   * @param granting whether the reply to a release may grant the lock to it
   */
  public static String create(
      ClientId client, long sequence, long threadId, LockKeys keys, boolean granting) {
    String mark = granting ? ":n" : "";
    return step(client, sequence, threadId) + mark + suffix(keys);
  }

  /** The id of a step that takes no lock: of a condition, or of a latch's counting. */
  public static String step(ClientId client, long sequence, long threadId) {
    return client.text() + ':' + sequence + ':' + threadId;
  }

  /** What every id of an acquisition by these keys ends in. */
  static String suffix(LockKeys keys) {
    if (keys.permits() > 0) {
      return ":p" + keys.permits();
    }
    return keys.kind() == LockKind.READ ? ":r" : "";
  }

  /** Reads an id of this library or of Redisson. */
  public static AcquisitionId read(String id) {
    Matcher ours = OURS.matcher(id);
    if (ours.matches()) {
      return new AcquisitionId(
          ours.group(1),
          ours.group(2),
          Long.parseLong(ours.group(3)),
          Long.parseLong(ours.group(4)));
    }
    Matcher any = ANY.matcher(id);
    return any.matches()
        ? new AcquisitionId(any.group(1), "", -1, Long.parseLong(any.group(2)))
        : new AcquisitionId(id, "", -1, -1);
  }
}
