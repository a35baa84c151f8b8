package io.mortise.micronaut;

import io.micronaut.core.type.Argument;
import io.micronaut.core.type.ReturnType;
import io.micronaut.inject.ExecutableMethod;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What a locked method returns, which decides how long its lock is held. */
enum ResultKind {
  /** The work ends when the method returns. */
  NOTHING,
  /** As {@link #NOTHING}; a skipped call gives an empty one. */
  OPTIONAL,
  /** As {@link #NOTHING}; a call that is skipped would have no result. */
  VALUE,
  /** The work ends when the stage completes. */
  STAGE;

  private static final String PUBLISHER = "org.reactivestreams.Publisher";

  /** Types of libraries that may be missing, whose work begins or goes on after the return. */
  private static final Set<String> LATE =
      Set.of(
          PUBLISHER,
          "io.smallrye.mutiny.Uni",
          "io.vertx.core.Future",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow",
          "io.micronaut.core.io.Writable");

  /** Types whose type argument is the result that Micronaut's HTTP server works on. */
  private static final Set<String> RESPONSES =
      Set.of("io.micronaut.http.HttpResponse", "io.micronaut.http.MutableHttpResponse");

  private static final ClassValue<Boolean> GOES_ON =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return Future.class.isAssignableFrom(type)
              || CompletionStage.class.isAssignableFrom(type)
              || Callable.class.isAssignableFrom(type)
              || Flow.Publisher.class.isAssignableFrom(type)
              || isOneOf(LATE, type);
        }
      };

  /**
   * The kind of a method's result.
   *
   * @throws LockedMethodException work would go on when the method has returned, and its end cannot
   *     be seen
   */
  static ResultKind of(ExecutableMethod<?, ?> method) {
    ReturnType<?> result = method.getReturnType();
    Class<?> type = result.getType();
    if (method.isSuspend()) {
      throw new LockedMethodException(
          Methods.text(method) + " is a suspending function, which @WithLock does not support",
          "Call withLock of mortise-kotlin in its body");
    }
    if (type == void.class || type == Void.class) {
      return NOTHING;
    }
    if (type == Optional.class) {
      return OPTIONAL;
    }
    if (type == CompletableFuture.class || type == CompletionStage.class) {
      return STAGE;
    }
    Argument<?> body =
        RESPONSES.contains(type.getName())
            ? result.getFirstTypeVariable().orElse(Argument.OBJECT_ARGUMENT)
            : result.asArgument();
    Class<?> work = body.getType();
    if (isPublisher(work) || body.isReactive()) {
      throw new LockedMethodException(
          "%s returns a %s, which @WithLock does not support"
              .formatted(Methods.text(method), work.getSimpleName()),
          "Use a ReactiveLock of mortise-reactor in its body, or return a CompletionStage");
    }
    if (GOES_ON.get(work)) {
      throw new LockedMethodException(
          "%s returns a %s, and its work may go on after that without the lock"
              .formatted(Methods.text(method), work.getSimpleName()),
          "Return a CompletableFuture or a CompletionStage, or lock a method that the later work calls");
    }
    return VALUE;
  }

  private static boolean isPublisher(Class<?> type) {
    return Flow.Publisher.class.isAssignableFrom(type) || isOneOf(Set.of(PUBLISHER), type);
  }

  private static boolean isOneOf(Set<String> names, Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      if (names.contains(each.getName())) {
        return true;
      }
      for (Class<?> parent : each.getInterfaces()) {
        if (isOneOf(names, parent)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a call may be skipped. */
  boolean canBeSkipped() {
    return this != VALUE;
  }

  /** Refuses a result whose work goes on although the method's type does not say so. */
  static @Nullable Object requireOver(LockedMethod method, @Nullable Object result) {
    if (result != null && GOES_ON.get(result.getClass())) {
      throw new IllegalStateException(
          "%s returned a %s, but its declared type does not say so: its work may go on without the lock; declare CompletableFuture or CompletionStage"
              .formatted(method, result.getClass().getName()));
    }
    return result;
  }
}
