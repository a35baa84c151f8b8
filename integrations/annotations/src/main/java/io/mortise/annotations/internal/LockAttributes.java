package io.mortise.annotations.internal;

import io.mortise.annotations.internal.LockTerms.Handle;
import io.mortise.annotations.internal.LockTerms.Kind;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says of its lock.
 *
 * @param skips whether a call whose lock is busy is skipped
 * @param interrupts whether a loss interrupts the work
 */
public record LockAttributes(
    Names names, Kind kind, Spans spans, boolean skips, boolean interrupts) {
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  /**
   * The templates of its names. One of the two is empty.
   *
   * @param one that of the only name
   */
  public record Names(String one, List<String> several) {}

  /** Its times as texts, which are empty where the annotation says nothing. */
  public record Spans(String waitFor, String lease, String maxHold, String atLeast) {}

  /**
   * Refuses attributes that do not fit each other, or the method.
   *
   * @param who the method, for messages
   * @param type what it returns
   * @throws Refusal they do not fit
   */
  public void requireFit(String who, Class<?> type, ResultKind result) {
    if (skips && result == ResultKind.VALUE) {
      throw new Refusal(
          "%s returns %s, and a call that is skipped would have no result"
              .formatted(who, type.getSimpleName()),
          "With ifBusy = SKIP, let it return nothing, an Optional or a CompletableFuture");
    }
    if (interrupts && result == ResultKind.STAGE) {
      throw new Refusal(
          who + " returns a stage, which onLost = INTERRUPT cannot stop", "Remove onLost");
    }
    if (!spans.atLeast.isEmpty() && result.endsLater()) {
      throw new Refusal(
          "%s has atLeast, which is not supported for a %s".formatted(who, type.getSimpleName()),
          "Remove atLeast, or let the method return when its work is over");
    }
    if (!spans.lease.isEmpty() && !spans.maxHold.isEmpty()) {
      throw new Refusal(
          who + " has a lease and a maxHold, of which only one can count", "Remove one of the two");
    }
    if (!names.several.isEmpty() && !names.one.isEmpty()) {
      throw new Refusal(
          who + " has a name and names, of which only one can count", "Write all names into names");
    }
    if (!names.several.isEmpty() && kind == Kind.FENCED) {
      throw new Refusal(
          who + " has kind = FENCED and names, and several locks have no common fencing token",
          "Remove kind, or lock one name in a method of its own");
    }
  }

  /** Refuses a template without text. */
  public static void refuseBlank(String who, String template) {
    if (template.isBlank()) {
      throw new Refusal(who + " has a blank lock name", "Give it one: @WithLock(\"orders\")");
    }
  }

  /** The names that its calls lock. */
  public LockNames names(String who, Function<String, NameTemplate> parser) {
    boolean isList = !names.several.isEmpty();
    Stream<String> texts = isList ? names.several.stream() : Stream.of(names.one);
    return new LockNames(who, texts.map(parser).toList(), isList);
  }

  /**
   * How its lock is acquired and held.
   *
   * @param defaultWait the longest time to wait where it says nothing; null for no limit
   * @throws Refusal a time cannot be read, or no lock can have it
   */
  public LockTerms terms(String who, @Nullable Duration defaultWait) {
    Handle handle =
        new Handle(
            kind,
            within(who, SHORTEST, spans.lease, "lease"),
            within(who, SHORTEST, spans.maxHold, "maxHold"));
    Duration rest = within(who, Duration.ZERO, spans.atLeast, "atLeast");
    return new LockTerms(
        handle,
        spans.waitFor.isEmpty()
            ? defaultWait
            : time(who, spans.waitFor, "waitFor", Times::readWait),
        rest == null ? Duration.ZERO : rest,
        skips,
        interrupts);
  }

  /** A time that a lock can have; null if there is none. Others would be refused at a call. */
  private static @Nullable Duration within(
      String who, Duration shortest, String text, String attribute) {
    if (text.isEmpty()) {
      return null;
    }
    Duration time = time(who, text, attribute, Times::read);
    if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
      throw new Refusal(
          "%s has %s = \"%s\", which is not between %d ms and 10,000 days"
              .formatted(who, attribute, text, shortest.toMillis()),
          "Remove %s, or give it a time in that range".formatted(attribute));
    }
    return time;
  }

  private static <T extends @Nullable Duration> T time(
      String who, String text, String attribute, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          "%s has %s = \"%s\", which is no time".formatted(who, attribute, text),
          "Write " + Times.EXAMPLES);
    }
  }
}
