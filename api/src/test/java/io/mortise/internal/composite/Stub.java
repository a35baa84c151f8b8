package io.mortise.internal.composite;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Objects that answer as a test says. */
final class Stub {
  /** What a method answers to its arguments. */
  interface Answer extends Function<Object[], @Nullable Object> {}

  private Stub() {}

  /** Methods without an answer return null, or throw if they return a primitive. */
  @SuppressWarnings("ReferenceEquality") // it is this very object or not
  static <T> T of(Class<T> type, Map<String, Answer> answers) {
    InvocationHandler handler =
        (proxy, method, args) ->
            switch (method.getName()) {
              case "equals" -> proxy == args[0];
              case "hashCode" -> System.identityHashCode(proxy);
              case "toString" -> type.getSimpleName();
              default -> answers.getOrDefault(method.getName(), none -> null).apply(args);
            };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
