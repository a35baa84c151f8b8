package io.mortise.cdi;

import io.mortise.cdi.LockTerms.Handle;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.cdi.WithLock.Kind;
import io.mortise.cdi.WithLock.OnLost;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The methods with {@link WithLock}, each read once. */
final class LockedMethods {
  /** With each class, so that a class can be unloaded. */
  private static final ClassValue<Map<Method, LockedMethod>> KNOWN =
      new ClassValue<>() {
        @Override
        protected Map<Method, LockedMethod> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  private LockedMethods() {}

  /**
   * Reads a method that the container intercepts.
   *
   * @throws LockedMethodException it has no annotation of its own, or one that does not fit
   */
  static LockedMethod of(Method method) {
    return KNOWN.get(method.getDeclaringClass()).computeIfAbsent(method, LockedMethods::read);
  }

  private static LockedMethod read(Method method) {
    WithLock lock = annotation(method);
    if (lock == null) {
      throw new LockedMethodException(
          Methods.text(method) + " is intercepted, and has no @WithLock of its own",
          "Put it on the method and not on the class, whose methods would all share it");
    }
    ResultKind result = ResultKind.of(method);
    refuseResult(lock, method, result);
    refuseNames(lock, method);
    return new LockedMethod(
        method, names(lock, method), terms(lock, method), lock.service(), result);
  }

  /** The annotation of the method, or of another annotation that the method has. */
  private static @Nullable WithLock annotation(Method method) {
    WithLock lock = method.getAnnotation(WithLock.class);
    for (Annotation each : lock == null ? method.getAnnotations() : new Annotation[0]) {
      WithLock composed = each.annotationType().getAnnotation(WithLock.class);
      if (composed != null) {
        return composed;
      }
    }
    return lock;
  }

  private static void refuseResult(WithLock lock, Method method, ResultKind result) {
    if (lock.ifBusy() == IfBusy.SKIP && !result.canBeSkipped()) {
      throw new LockedMethodException(
          "%s returns %s, and a call that is skipped would have no result"
              .formatted(Methods.text(method), method.getReturnType().getSimpleName()),
          "With ifBusy = SKIP, let it return nothing, an Optional or a CompletableFuture");
    }
    if (result == ResultKind.STAGE && lock.onLost() == OnLost.INTERRUPT) {
      throw new LockedMethodException(
          Methods.text(method) + " returns a stage, which onLost = INTERRUPT cannot stop",
          "Remove onLost");
    }
    if (result == ResultKind.STAGE && !lock.atLeast().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has atLeast, which is not supported for a stage",
          "Remove atLeast, or let the method return when its work is over");
    }
    if (!lock.lease().isEmpty() && !lock.maxHold().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a lease and a maxHold, of which only one can count",
          "Remove one of the two");
    }
  }

  /** Refuses attributes that say two things about what is acquired. */
  private static void refuseNames(WithLock lock, Method method) {
    boolean named = !lock.name().isEmpty();
    if (named && !lock.value().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a value and a name, of which only one can count",
          "Remove one of the two");
    }
    if (lock.names().length == 0) {
      return;
    }
    if (named || !lock.value().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a name and names, of which only one can count",
          "Write all names into names");
    }
    if (lock.kind() == Kind.FENCED) {
      throw new LockedMethodException(
          Methods.text(method)
              + " has kind = FENCED and names, and several locks have no common fencing token",
          "Remove kind, or lock one name in a method of its own");
    }
  }

  private static LockNames names(WithLock lock, Method method) {
    boolean several = lock.names().length > 0;
    String one = lock.name().isEmpty() ? lock.value() : lock.name();
    List<NameTemplate> templates =
        Stream.of(several ? lock.names() : new String[] {one})
            .map(name -> new NameTemplate(name, method))
            .toList();
    return new LockNames(Methods.text(method), templates, several);
  }

  private static LockTerms terms(WithLock lock, Method method) {
    return new LockTerms(
        new Handle(
            lock.kind(),
            lock.lease().isEmpty() ? null : within(SHORTEST, lock.lease(), "lease", method),
            lock.maxHold().isEmpty() ? null : within(SHORTEST, lock.maxHold(), "maxHold", method)),
        lock.ifBusy(),
        time(lock.waitFor(), "waitFor", method, Times::readWait),
        lock.atLeast().isEmpty()
            ? Duration.ZERO
            : within(Duration.ZERO, lock.atLeast(), "atLeast", method),
        lock.onLost());
  }

  /** A time that a lock can have. Others would be refused when the lock is acquired. */
  private static Duration within(Duration shortest, String value, String attribute, Method method) {
    Duration time = time(value, attribute, method, Times::read);
    if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
      throw new LockedMethodException(
          "%s has %s = \"%s\", which is not between %d ms and 10,000 days"
              .formatted(Methods.text(method), attribute, value, shortest.toMillis()),
          "Remove %s, or give it a time in that range".formatted(attribute));
    }
    return time;
  }

  private static <T extends @Nullable Duration> T time(
      String value, String attribute, Method method, Function<String, T> reader) {
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException e) {
      throw new LockedMethodException(
          "%s has %s = \"%s\", which is no time".formatted(Methods.text(method), attribute, value),
          "Write \"0\", \"500ms\", \"5s\", \"2m\" or \"PT5S\"");
    }
  }
}
