package io.mortise.internal.composite;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Objects whose methods answer as a test decides. */
final class Stub {
  /** The answer of a method to its arguments. */
  interface Answer extends Function<Object[], @Nullable Object> {}

  private Stub() {}

  /** A method without an answer returns null, or throws if it returns a primitive. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
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
