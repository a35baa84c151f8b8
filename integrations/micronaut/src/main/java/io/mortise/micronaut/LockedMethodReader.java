package io.mortise.micronaut;

import io.micronaut.core.annotation.AnnotationValue;
import io.micronaut.inject.ExecutableMethod;
import io.mortise.micronaut.LockTerms.Length;
import io.mortise.micronaut.WithLock.IfBusy;
import io.mortise.micronaut.WithLock.Kind;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the annotation of one method, and refuses attributes that do not fit it. */
final class LockedMethodReader {
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  private final ExecutableMethod<?, ?> method;
  private final @Nullable Duration defaultWait;
  private final String who;
  private final AnnotationValue<WithLock> lock;
  private final List<String> names;

  /**
   * For one method.
   *
   * @param defaultWait the longest time to wait where the annotation says nothing; null for no
   *     limit
   */
  LockedMethodReader(ExecutableMethod<?, ?> method, @Nullable Duration defaultWait) {
    this.method = method;
    this.defaultWait = defaultWait;
    who = Methods.text(method);
    lock =
        method
            .findAnnotation(WithLock.class)
            .orElseThrow(() ->
                new IllegalStateException(who + " has no @WithLock of its own; it does not run"));
    names = List.of(lock.stringValues("names"));
  }

  /**
   * What the annotation says.
   *
   * @throws LockedMethodException it does not fit the method
   */
  LockedMethod read() {
    ResultKind result = ResultKind.of(method);
    Kind kind = lock.enumValue("kind", Kind.class).orElse(Kind.PLAIN);
    IfBusy ifBusy = lock.enumValue("ifBusy", IfBusy.class).orElse(IfBusy.FAIL);
    if (ifBusy == IfBusy.SKIP && !result.canBeSkipped()) {
      throw new LockedMethodException(
          "%s returns %s, and a call that is skipped would have no result"
              .formatted(who, method.getReturnType().getType().getSimpleName()),
          "With ifBusy = SKIP, let it return nothing, an Optional or a CompletableFuture");
    }
    refuseNames(kind);
    refuseTimes(result);
    return new LockedMethod(
        who,
        templates(),
        !names.isEmpty(),
        new LockTerms(
            kind,
            ifBusy,
            waitFor(text("waitFor")),
            text("atLeast").isEmpty() ? Duration.ZERO : within(Duration.ZERO, "atLeast"),
            new Length(lengthOf("lease"), lengthOf("maxHold"))),
        text("service"),
        result);
  }

  private String text(String attribute) {
    return lock.stringValue(attribute).orElse("");
  }

  private List<NameTemplate> templates() {
    Stream<String> texts = names.isEmpty() ? Stream.of(text("name")) : names.stream();
    return texts.map(text -> new NameTemplate(text, method)).toList();
  }

  private void refuseNames(Kind kind) {
    if (names.isEmpty()) {
      return;
    }
    if (!text("name").isEmpty()) {
      throw new LockedMethodException(
          who + " has a name and names, of which only one can count", "Write all names into names");
    }
    if (kind == Kind.FENCED) {
      throw new LockedMethodException(
          who + " has kind = FENCED and names, and several locks have no common fencing token",
          "Remove kind, or lock one name in a method of its own");
    }
  }

  private void refuseTimes(ResultKind result) {
    if (!text("lease").isEmpty() && !text("maxHold").isEmpty()) {
      throw new LockedMethodException(
          who + " has a lease and a maxHold, of which only one can count", "Remove one of the two");
    }
    if (!text("atLeast").isEmpty() && result == ResultKind.STAGE) {
      throw new LockedMethodException(
          who + " has atLeast, which is not supported for a stage",
          "Remove atLeast, or let the method return when its work is over");
    }
  }

  private @Nullable Duration waitFor(String text) {
    return text.isEmpty() ? defaultWait : time("waitFor", text, Times::readWait);
  }

  private @Nullable Duration lengthOf(String attribute) {
    return text(attribute).isEmpty() ? null : within(SHORTEST, attribute);
  }

  /** A time that a lock can have. Others would be refused at the first call. */
  private Duration within(Duration shortest, String attribute) {
    Duration time = time(attribute, text(attribute), Times::read);
    if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
      throw new LockedMethodException(
          "%s has %s = \"%s\", which is not between %d ms and 10,000 days"
              .formatted(who, attribute, text(attribute), shortest.toMillis()),
          "Remove %s, or give it a time in that range".formatted(attribute));
    }
    return time;
  }

  private <T extends @Nullable Duration> T time(
      String attribute, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new LockedMethodException(
          "%s has %s = \"%s\"".formatted(who, attribute, text), "But %s".formatted(e.getMessage()));
    }
  }
}
