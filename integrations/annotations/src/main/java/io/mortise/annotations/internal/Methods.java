package io.mortise.annotations.internal;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Names of methods for people. */
public final class Methods {
  private Methods() {}

  /** Class, method and types of parameters. */
  public static String text(Method method) {
    return text(method.getDeclaringClass(), method.getName(), method.getParameterTypes());
  }

  /** Class, method and types of parameters. */
  public static String text(Class<?> type, String name, Class<?>[] parameters) {
    return "%s.%s(%s)"
        .formatted(
            type.getName(),
            name,
            Arrays.stream(parameters).map(Class::getSimpleName).collect(Collectors.joining(", ")));
  }
}
