package io.mortise.annotations.internal;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What a locked method returns, which decides how long its lock is held. */
public enum ResultKind {
  /** The work ends when the method returns. */
  NOTHING,
  /** As {@link #NOTHING}; a skipped call gives an empty one. */
  OPTIONAL,
  /** As {@link #NOTHING}; a call that is skipped would have no result. */
  VALUE,
  /** The work ends when the stage completes. */
  STAGE,
  /** The work ends when the publisher completes or is cancelled. Spring alone follows some. */
  PUBLISHER;

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
          "org.springframework.web.context.request.async.DeferredResult",
          "org.springframework.web.context.request.async.WebAsyncTask",
          "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
          "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
          "jakarta.ws.rs.core.StreamingOutput",
          "io.micronaut.core.io.Writable");

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

  /** The kind of a declared type, which is a {@link #VALUE} unless its end can be seen. */
  public static ResultKind of(Class<?> type) {
    if (type == void.class || type == Void.class) {
      return NOTHING;
    }
    if (type == Optional.class) {
      return OPTIONAL;
    }
    return type == CompletableFuture.class || type == CompletionStage.class ? STAGE : VALUE;
  }

  /** Whether work of such an object may go on when the method has returned it. */
  public static boolean goesOn(Class<?> type) {
    return GOES_ON.get(type);
  }

  /** The refusal of a declared type whose work goes on, with an end that cannot be seen. */
  public static Refusal late(String who, Class<?> type) {
    return new Refusal(
        "%s returns a %s, and its work may go on after that without the lock"
            .formatted(who, type.getSimpleName()),
        "Return a type that @WithLock follows, such as CompletableFuture, or lock a method that the later work calls. For publishers there is mortise-reactor");
  }

  /** The refusal of a suspending function of Kotlin. */
  public static Refusal suspending(String who) {
    return new Refusal(
        who + " is a suspending function, which @WithLock does not support",
        "Call withLock of mortise-kotlin in its body");
  }

  /** Refuses a result whose work goes on although the method's type does not say so. */
  static @Nullable Object requireOver(Object who, @Nullable Object result) {
    if (result != null && goesOn(result.getClass())) {
      throw new IllegalStateException(
          "%s returned a %s, but its declared type does not say so: its work may go on without the lock; declare the type that it returns"
              .formatted(who, result.getClass().getName()));
    }
    return result;
  }

  /** Whether the work goes on when the method has returned. */
  boolean endsLater() {
    return this == STAGE || this == PUBLISHER;
  }

  /** What a skipped call gives. A skipped publisher is empty, and its module makes it. */
  public @Nullable Object ofSkipped() {
    return switch (this) {
      case OPTIONAL -> Optional.empty();
      case STAGE -> CompletableFuture.completedFuture(null);
      case NOTHING, VALUE, PUBLISHER -> null;
    };
  }
}
