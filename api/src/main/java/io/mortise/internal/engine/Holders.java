package io.mortise.internal.engine;

import io.mortise.LockHolder;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads who holds a lock out of an acquisition's id. */
public final class Holders {
  /** {@code host~pid~random:sequence:thread}, and what a kind of lock adds. */
  private static final Pattern OURS =
      Pattern.compile("((.+)~(\\d{1,18})~[0-9a-f]+):\\d+:(\\d{1,18})(:.*)?");

  /** {@code client:thread}, as Redisson writes it. */
  private static final Pattern ANY = Pattern.compile("(.+):(\\d{1,18})");

  private Holders() {}

  /**
   * @param left of the lease (ms)
   * @param inside the hold, if it is of this process
   */
  public static LockHolder of(String id, long left, long waiters, @Nullable Hold inside, long now) {
    Matcher ours = OURS.matcher(id);
    Matcher any = ANY.matcher(id);
    boolean known = ours.matches();
    boolean thread = known || any.matches();
    Optional<Hold> here = Optional.ofNullable(inside);
    return new LockHolder(
        known ? ours.group(1) : thread ? any.group(1) : id,
        known ? ours.group(2) : "",
        known ? Long.parseLong(ours.group(3)) : -1,
        thread ? Long.parseLong(known ? ours.group(4) : any.group(2)) : -1,
        Duration.ofMillis(left),
        Math.toIntExact(waiters),
        here.map(hold -> hold.thread().getName()),
        here.map(hold -> Duration.ofNanos(now - hold.since())));
  }
}
