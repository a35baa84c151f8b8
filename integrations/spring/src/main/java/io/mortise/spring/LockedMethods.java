package io.mortise.spring;

import io.mortise.spring.LockTerms.Handle;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.Kind;
import io.mortise.spring.WithLock.OnLost;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The methods with {@link WithLock}, read once. Thread-safe. */
final class LockedMethods {
  private static final ClassValue<Set<Method>> ANNOTATED =
      new ClassValue<>() {
        @Override
        protected Set<Method> computeValue(Class<?> type) {
          if (!AnnotationUtils.isCandidateClass(type, WithLock.class)) {
            return Set.of();
          }
          MetadataLookup<WithLock> lookup = method -> annotation(method, type);
          return Set.copyOf(MethodIntrospector.selectMethods(type, lookup).keySet());
        }
      };

  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  private final ConfigurableBeanFactory beans;
  private final WithLockSettings settings;
  private final Map<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();

  LockedMethods(ConfigurableBeanFactory beans, WithLockSettings settings) {
    this.beans = beans;
    this.settings = settings;
  }

  WithLockSettings settings() {
    return settings;
  }

  /**
   * The locked method that a call of the method on such an object runs.
   *
   * @return null if it has no annotation
   * @throws LockedMethodException the annotation does not fit the method
   */
  @Nullable LockedMethod find(Method method, @Nullable Class<?> type) {
    return known
        .computeIfAbsent(
            new MethodClassKey(method, type), key -> Optional.ofNullable(read(method, type)))
        .orElse(null);
  }

  private @Nullable LockedMethod read(Method method, @Nullable Class<?> type) {
    Method own = AopUtils.getMostSpecificMethod(method, type);
    WithLock lock = annotation(own, type);
    if (lock == null && !own.equals(method)) {
      lock = annotation(method, type);
    }
    return lock == null ? null : read(lock, own, type == null ? own.getDeclaringClass() : type);
  }

  /**
   * The annotation of a method, also that of an interface of the type, whose method a superclass
   * implements without knowing the interface.
   */
  static @Nullable WithLock annotation(Method method, @Nullable Class<?> type) {
    if (method.isSynthetic() && Modifier.isStatic(method.getModifiers())) {
      return null; // the compiler's, as Kotlin has one for the body of an open suspending function
    }
    WithLock lock = AnnotatedElementUtils.findMergedAnnotation(method, WithLock.class);
    if (lock != null || type == null) {
      return lock;
    }
    for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
      Method declared =
          ReflectionUtils.findMethod(each, method.getName(), method.getParameterTypes());
      if (declared != null) {
        lock = AnnotatedElementUtils.findMergedAnnotation(declared, WithLock.class);
      }
      if (lock != null) {
        return lock;
      }
    }
    return null;
  }

  /** The methods of a class that have the annotation, also those that it inherits. */
  static Set<Method> annotated(Class<?> type) {
    return ANNOTATED.get(type);
  }

  private LockedMethod read(WithLock lock, Method method, Class<?> type) {
    ResultKind result = ResultKind.of(method);
    if (lock.ifBusy() == IfBusy.SKIP && !result.canBeSkipped()) {
      throw new LockedMethodException(
          "%s returns %s, and a call that is skipped would have no result"
              .formatted(Methods.text(method), method.getReturnType().getSimpleName()),
          "With ifBusy = SKIP, let it return nothing, an Optional, a CompletableFuture, a Mono or a Flux");
    }
    refuseTimes(lock, method, result);
    refuseTargets(lock, method);
    if (lock.onLost() == OnLost.INTERRUPT && result == ResultKind.STAGE) {
      throw new LockedMethodException(
          Methods.text(method) + " returns a stage, which onLost = INTERRUPT cannot stop",
          "Remove onLost, or return a Mono or a Flux, which is cancelled");
    }
    return new LockedMethod(
        method,
        names(lock, method),
        terms(lock, method),
        text(lock.service(), "service", method),
        result,
        busyHandler(lock, method, type));
  }

  private LockNames names(WithLock lock, Method method) {
    boolean several = lock.names().length > 0;
    List<NameTemplate> templates =
        Stream.of(several ? lock.names() : new String[] {lock.name()})
            .map(name ->
                new NameTemplate(text(name, several ? "names" : "name", method), method, beans))
            .toList();
    return new LockNames(Methods.text(method), templates, several);
  }

  private @Nullable BusyHandler busyHandler(WithLock lock, Method method, Class<?> type) {
    if (lock.busyHandler().isEmpty()) {
      return null;
    }
    if (lock.ifBusy() == IfBusy.SKIP) {
      throw new LockedMethodException(
          Methods.text(method)
              + " has ifBusy = SKIP and a busyHandler, of which only one can count",
          "Remove one of the two");
    }
    return BusyHandler.of(text(lock.busyHandler(), "busyHandler", method), method, type, beans);
  }

  /** Refuses attributes that say two things about what is acquired. */
  private static void refuseTargets(WithLock lock, Method method) {
    boolean several = lock.names().length > 0;
    if (several && !lock.name().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a name and names, of which only one can count",
          "Write all names into names");
    }
    if (several && lock.kind() == Kind.FENCED) {
      throw new LockedMethodException(
          Methods.text(method)
              + " has kind = FENCED and names, and several locks have no common fencing token",
          "Remove kind, or lock one name in a method of its own");
    }
    if (lock.permits() < 0 || lock.totalPermits() < 0) {
      throw new LockedMethodException(
          Methods.text(method) + " has a negative number of permits", "Give it at least 1");
    }
    if (lock.permits() == 0 && lock.totalPermits() > 0) {
      throw new LockedMethodException(
          Methods.text(method)
              + " has totalPermits, and permits does not say that it is a semaphore",
          "Add permits = 1");
    }
    if (lock.permits() > 0) {
      refusePermits(lock, method);
    }
  }

  private static void refusePermits(WithLock lock, Method method) {
    if (lock.names().length > 0 || lock.kind() != Kind.PLAIN || !lock.maxHold().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method)
              + " has permits, which a semaphore of one name has, with names, a kind or a maxHold, which it does not have",
          "Remove permits for a lock, or the others for a semaphore");
    }
    if (lock.totalPermits() > 0 && lock.permits() > lock.totalPermits()) {
      throw new LockedMethodException(
          "%s wants %d permits of %d"
              .formatted(Methods.text(method), lock.permits(), lock.totalPermits()),
          "Lower permits, or raise totalPermits");
    }
  }

  private static void refuseTimes(WithLock lock, Method method, ResultKind result) {
    if (!lock.lease().isEmpty() && !lock.maxHold().isEmpty()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a lease and a maxHold, of which only one can count",
          "Remove one of the two");
    }
    if (!lock.atLeast().isEmpty()
        && (result == ResultKind.STAGE || result == ResultKind.PUBLISHER)) {
      throw new LockedMethodException(
          "%s has atLeast, which is not supported for a %s"
              .formatted(Methods.text(method), method.getReturnType().getSimpleName()),
          "Remove atLeast, or let the method return when its work is over");
    }
  }

  private LockTerms terms(WithLock lock, Method method) {
    return new LockTerms(
        new Handle(
            lock.kind(),
            lock.lease().isEmpty() ? null : within(SHORTEST, lock.lease(), "lease", method),
            lock.maxHold().isEmpty() ? null : within(SHORTEST, lock.maxHold(), "maxHold", method),
            lock.permits(),
            lock.totalPermits()),
        lock.ifBusy(),
        lock.waitFor().isEmpty()
            ? settings.waitFor()
            : time(lock.waitFor(), "waitFor", method, Times::readWait),
        lock.atLeast().isEmpty()
            ? Duration.ZERO
            : within(Duration.ZERO, lock.atLeast(), "atLeast", method),
        lock.onLost());
  }

  /** A time that a lock can have. Others would be refused at the first call. */
  private Duration within(Duration shortest, String value, String attribute, Method method) {
    Duration time = time(value, attribute, method, Times::read);
    if (time.compareTo(shortest) < 0 || time.compareTo(LONGEST) > 0) {
      throw new LockedMethodException(
          "%s has %s = \"%s\", which is not between %d ms and 10,000 days"
              .formatted(
                  Methods.text(method),
                  attribute,
                  text(value, attribute, method),
                  shortest.toMillis()),
          "Remove %s, or give it a time in that range".formatted(attribute));
    }
    return time;
  }

  private <T extends @Nullable Duration> T time(
      String value, String attribute, Method method, Function<String, T> reader) {
    String text = text(value, attribute, method);
    try {
      return reader.apply(text);
    } catch (IllegalArgumentException e) {
      throw new LockedMethodException(
          "%s has %s = \"%s\", which is no time".formatted(Methods.text(method), attribute, text),
          "Write \"0\", \"500ms\", \"5s\", \"2m\" or \"PT5S\"");
    }
  }

  /** The value with its properties. */
  private String text(String value, String attribute, Method method) {
    String text;
    try {
      text = beans.resolveEmbeddedValue(value);
    } catch (IllegalArgumentException e) {
      throw unresolved(value, attribute, method, e.getMessage());
    }
    if (text == null || text.contains("${")) {
      throw unresolved(value, attribute, method, "a property is missing");
    }
    return text;
  }

  private static LockedMethodException unresolved(
      String value, String attribute, Method method, @Nullable String why) {
    return new LockedMethodException(
        "%s has %s = \"%s\": %s".formatted(Methods.text(method), attribute, value, why),
        "Set the property, or give it a default: ${name:default}");
  }
}
