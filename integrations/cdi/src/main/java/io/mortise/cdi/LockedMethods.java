package io.mortise.cdi;

import io.mortise.annotations.internal.BraceParser;
import io.mortise.annotations.internal.LockAttributes;
import io.mortise.annotations.internal.LockAttributes.Names;
import io.mortise.annotations.internal.LockAttributes.Spans;
import io.mortise.annotations.internal.LockTerms.Kind;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.Refusal;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.cdi.WithLock.OnLost;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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

  /** As that of the annotation, also where it is empty. */
  private static final Duration DEFAULT_WAIT = Duration.ofSeconds(10);

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
    try {
      return read(method, annotation(method));
    } catch (Refusal e) {
      throw new LockedMethodException(e.problem(), e.nextStep());
    }
  }

  private static LockedMethod read(Method method, WithLock lock) {
    String who = Methods.text(method);
    ResultKind result = result(who, method);
    LockAttributes attributes = attributes(who, lock);
    attributes.requireFit(who, method.getReturnType(), result);
    return new LockedMethod(
        method,
        attributes.names(who, parser(who, method)::read),
        attributes.terms(who, DEFAULT_WAIT),
        lock.service(),
        result);
  }

  /** The annotation of the method, or of another annotation that the method has. */
  private static WithLock annotation(Method method) {
    WithLock lock = method.getAnnotation(WithLock.class);
    if (lock != null) {
      return lock;
    }
    for (Annotation each : method.getAnnotations()) {
      WithLock composed = each.annotationType().getAnnotation(WithLock.class);
      if (composed != null) {
        return composed;
      }
    }
    throw new LockedMethodException(
        Methods.text(method) + " is intercepted, and has no @WithLock of its own",
        "Put it on the method and not on the class, whose methods would all share it");
  }

  private static ResultKind result(String who, Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    if (parameters.length > 0
        && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
      throw ResultKind.suspending(who);
    }
    Class<?> type = method.getReturnType();
    ResultKind result = ResultKind.of(type);
    if (result == ResultKind.VALUE && ResultKind.goesOn(type)) {
      throw ResultKind.late(who, type);
    }
    return result;
  }

  private static LockAttributes attributes(String who, WithLock lock) {
    if (!lock.name().isEmpty() && !lock.value().isEmpty()) {
      throw new LockedMethodException(
          who + " has a value and a name, of which only one can count", "Remove one of the two");
    }
    return new LockAttributes(
        new Names(lock.name() + lock.value(), List.of(lock.names())),
        Kind.valueOf(lock.kind().name()),
        new Spans(lock.waitFor(), lock.lease(), lock.maxHold(), lock.atLeast()),
        lock.ifBusy() == IfBusy.SKIP,
        lock.onLost() == OnLost.INTERRUPT);
  }

  private static BraceParser parser(String who, Method method) {
    Parameter[] parameters = method.getParameters();
    boolean named = Arrays.stream(parameters).allMatch(Parameter::isNamePresent);
    return new BraceParser(
        who,
        parameters.length,
        named ? Arrays.stream(parameters).map(Parameter::getName).toList() : null);
  }
}
