package io.mortise.spring;

import io.mortise.annotations.internal.LockAttributes;
import io.mortise.annotations.internal.LockAttributes.Names;
import io.mortise.annotations.internal.LockAttributes.Spans;
import io.mortise.annotations.internal.LockTerms.Kind;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.Refusal;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.OnLost;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
      for (Method declared : each.getMethods()) {
        lock = AnnotatedElementUtils.findMergedAnnotation(declared, WithLock.class);
        if (lock != null && areOne(declared, method, type)) {
          return lock;
        }
      }
    }
    return null;
  }

  /**
   * Whether calls of both methods run the same one on an object of the type. Parameters that an
   * interface leaves open have other types there.
   */
  static boolean areOne(Method one, Method other, Class<?> type) {
    return one.getName().equals(other.getName())
        && AopUtils.getMostSpecificMethod(one, type)
            .equals(AopUtils.getMostSpecificMethod(other, type));
  }

  /** The methods of a class that have the annotation, also those that it inherits. */
  static Set<Method> annotated(Class<?> type) {
    return ANNOTATED.get(type);
  }

  private LockedMethod read(WithLock lock, Method method, Class<?> type) {
    String who = Methods.text(method);
    try {
      ResultKind result = Results.of(who, method);
      LockAttributes attributes = attributes(lock, method);
      attributes.requireFit(who, method.getReturnType(), result);
      refusePermits(lock, who);
      return new LockedMethod(
          method,
          attributes.names(who, new SpelParser(method, beans)::read),
          attributes.terms(who, settings.waitFor()),
          new Permits(lock.permits(), lock.totalPermits()),
          text(lock.service(), "service", method),
          result,
          busyHandler(lock, method, type));
    } catch (Refusal e) {
      throw new LockedMethodException(e.problem(), e.nextStep());
    }
  }

  private LockAttributes attributes(WithLock lock, Method method) {
    return new LockAttributes(
        new Names(
            text(lock.name(), "name", method),
            Stream.of(lock.names()).map(name -> text(name, "names", method)).toList()),
        Kind.valueOf(lock.kind().name()),
        new Spans(
            text(lock.waitFor(), "waitFor", method),
            text(lock.lease(), "lease", method),
            text(lock.maxHold(), "maxHold", method),
            text(lock.atLeast(), "atLeast", method)),
        lock.ifBusy() == IfBusy.SKIP,
        lock.onLost() == OnLost.INTERRUPT);
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

  private static void refusePermits(WithLock lock, String who) {
    if (lock.permits() < 0 || lock.totalPermits() < 0) {
      throw new LockedMethodException(
          who + " has a negative number of permits", "Give it at least 1");
    }
    if (lock.permits() == 0) {
      if (lock.totalPermits() > 0) {
        throw new LockedMethodException(
            who + " has totalPermits, and permits does not say that it is a semaphore",
            "Add permits = 1");
      }
      return;
    }
    if (lock.names().length > 0
        || lock.kind() != WithLock.Kind.PLAIN
        || !lock.maxHold().isEmpty()) {
      throw new LockedMethodException(
          who
              + " has permits, which a semaphore of one name has, with names, a kind or a maxHold, which it does not have",
          "Remove permits for a lock, or the others for a semaphore");
    }
    if (lock.totalPermits() > 0 && lock.permits() > lock.totalPermits()) {
      throw new LockedMethodException(
          "%s wants %d permits of %d".formatted(who, lock.permits(), lock.totalPermits()),
          "Lower permits, or raise totalPermits");
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
