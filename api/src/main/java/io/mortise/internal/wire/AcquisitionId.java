package io.mortise.internal.wire;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of an acquisition id. The id is {@code client:sequence:thread}, with suffixes by which
 * the scripts distinguish kinds. Ids are written and read here only. The suffixes:
 *
 * <ul>
 *   <li>{@code :n}, the reply to a release may grant the lock to it
 *   <li>{@code :k}, its threads may hand it off until another process wants it
 *   <li>{@code :i}, the same, and its process may keep it while no thread is inside
 *   <li>{@code :e}, the rest of a hold that was left with a time to keep; no acquisition has it
 *   <li>{@code :r}, it reads
 *   <li>{@code :p3}, it wants three permits
 * </ul>
 *
 * @param client the holder's client id; the whole id, if its form is not known
 * @param host the holder's host, or empty
 * @param pid the holder's process id, or -1
 * @param threadId the holder's thread, or -1
 */
public record AcquisitionId(String client, String host, long pid, long threadId) {
  /** {@code host~pid~random:sequence:thread}, and the suffixes. */
  private static final Pattern OURS =
      Pattern.compile("((.+)~(\\d{1,18})~[0-9a-f]+):\\d+:(\\d{1,18})(:.*)?");

  /** What the scripts may do with an id. */
  public enum Mark {
    NONE(""),
    /** The reply to a release may grant the lock to it. */
    GRANTED_IN_REPLY(":n"),
    /** Its service hears that it is wanted. Its threads hand it off until then. */
    HANDED_OFF(":k"),
    /** As {@link #HANDED_OFF}. Its service may also keep it while no thread is inside. */
    RETAINED(":i");

    private final String text;

    Mark(String text) {
      this.text = text;
    }

    /** Whether its service hears that an id is wanted. */
    public static boolean isHeard(String id) {
      return id.endsWith(HANDED_OFF.text) || id.endsWith(RETAINED.text);
    }
  }

  /** {@code client:thread}, as Redisson writes it. */
  private static final Pattern ANY = Pattern.compile("(.+):(\\d{1,18})");

  /**
   * Creates an id.
   *
   * @param client the id of its service, {@link ClientId#text}
   * @param sequence a number that this client has never used before
   */
  public static String create(
      String client, long sequence, long threadId, LockKeys keys, Mark mark) {
    // in one, so that no text is copied to add an empty one
    return client + ':' + sequence + ':' + threadId + mark.text + suffix(keys);
  }

  /** The id of a step that acquires nothing: a step of a condition, or of a latch's count. */
  public static String step(String client, long sequence, long threadId) {
    return client + ':' + sequence + ':' + threadId;
  }

  /** The id under which the store keeps the rest of a hold that was left with a time to keep. */
  static String ofRest(String id, LockKeys keys) {
    int thread = id.indexOf(':', id.indexOf(':') + 1) + 1;
    int end = id.indexOf(':', thread);
    return (end < 0 ? id : id.substring(0, end)) + ":e" + suffix(keys);
  }

  /** The suffix of every acquisition id with these keys. */
  static String suffix(LockKeys keys) {
    if (keys.permits() > 0) {
      return ":p" + keys.permits();
    }
    return keys.kind() == LockKind.READ ? ":r" : "";
  }

  /** Refuses a text that can be no id of a holder. */
  public static String check(String id) {
    if (Objects.requireNonNull(id, "holder id").isBlank() || id.startsWith("!")) {
      throw new IllegalArgumentException(
          "'%s' is no id of a holder; take it from holder() or from a LeaseChange"
              .formatted(Names.shown(id)));
    }
    return id;
  }

  /** Reads an id that Mortise or Redisson wrote. */
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
