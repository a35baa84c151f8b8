package io.mortise.cdi;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Names of methods for people. */
final class Methods {
  private Methods() {}

  /** Class, method and types of parameters. */
  static String text(Method method) {
    String parameters =
        Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", "));
    return "%s.%s(%s)"
        .formatted(method.getDeclaringClass().getName(), method.getName(), parameters);
  }
}
