package io.mortise.micronaut;

import io.micronaut.core.type.Argument;
import io.micronaut.inject.ExecutableMethod;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Names of methods for people. */
final class Methods {
  private Methods() {}

  /** Class, method and types of parameters. */
  static String text(ExecutableMethod<?, ?> method) {
    String parameters =
        Arrays.stream(method.getArguments())
            .map(Argument::getType)
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", "));
    return "%s.%s(%s)"
        .formatted(method.getDeclaringType().getName(), method.getMethodName(), parameters);
  }
}
