package io.mortise.cdi;

import java.lang.reflect.Method;
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

  /** Types of libraries that may be missing, whose work begins or goes on after the return. */
  private static final Set<String> LATE =
      Set.of(
          "org.reactivestreams.Publisher",
          "io.smallrye.mutiny.Uni",
          "io.vertx.core.Future",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow",
          "jakarta.ws.rs.core.StreamingOutput");

  private static final ClassValue<Boolean> GOES_ON =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return Future.class.isAssignableFrom(type)
              || CompletionStage.class.isAssignableFrom(type)
              || Callable.class.isAssignableFrom(type)
              || Flow.Publisher.class.isAssignableFrom(type)
              || isLate(type);
        }
      };

  /**
   * The kind of a method's result.
   *
   * @throws LockedMethodException work would go on when the method has returned, and its end cannot
   *     be seen
   */
  static ResultKind of(Method method) {
    Class<?> type = method.getReturnType();
    refuseSuspending(method);
    if (type == void.class || type == Void.class) {
      return NOTHING;
    }
    if (type == Optional.class) {
      return OPTIONAL;
    }
    if (type == CompletableFuture.class || type == CompletionStage.class) {
      return STAGE;
    }
    if (GOES_ON.get(type)) {
      throw new LockedMethodException(
          "%s returns a %s, and its work may go on after that without the lock"
              .formatted(Methods.text(method), type.getSimpleName()),
          "Return a CompletableFuture or a CompletionStage, or lock a method that the later work calls");
    }
    return VALUE;
  }

  private static void refuseSuspending(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    if (parameters.length > 0
        && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
      throw new LockedMethodException(
          Methods.text(method) + " is a suspending function, which @WithLock does not support",
          "Call withLock of mortise-kotlin in its body");
    }
  }

  private static boolean isLate(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      if (LATE.contains(each.getName())) {
        return true;
      }
      for (Class<?> parent : each.getInterfaces()) {
        if (isLate(parent)) {
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
  static @Nullable Object requireOver(Object work, @Nullable Object result) {
    if (result != null && GOES_ON.get(result.getClass())) {
      throw new IllegalStateException(
          "%s returned a %s, but its declared type does not say so: its work may go on without the lock; declare CompletableFuture or CompletionStage"
              .formatted(work, result.getClass().getName()));
    }
    return result;
  }
}
