package io.mortise.micronaut;

import io.micronaut.core.annotation.AnnotationValue;
import io.micronaut.core.type.Argument;
import io.micronaut.core.type.ReturnType;
import io.micronaut.inject.ExecutableMethod;
import io.mortise.annotations.internal.BraceParser;
import io.mortise.annotations.internal.LockAttributes;
import io.mortise.annotations.internal.LockAttributes.Names;
import io.mortise.annotations.internal.LockAttributes.Spans;
import io.mortise.annotations.internal.LockTerms.Kind;
import io.mortise.annotations.internal.Methods;
import io.mortise.annotations.internal.NameTemplate;
import io.mortise.annotations.internal.ResultKind;
import io.mortise.micronaut.WithLock.IfBusy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the annotation of one method, and refuses attributes that do not fit it. */
final class LockedMethodReader {
  /** Types whose type argument is the result that Micronaut's HTTP server works on. */
  private static final Set<String> RESPONSES =
      Set.of("io.micronaut.http.HttpResponse", "io.micronaut.http.MutableHttpResponse");

  /** The beginning of an expression, which Micronaut evaluates only in some annotations. */
  private static final Pattern EXPRESSION = Pattern.compile("[#$]\\{");

  private final ExecutableMethod<?, ?> method;
  private final String who;
  private final AnnotationValue<WithLock> lock;

  LockedMethodReader(ExecutableMethod<?, ?> method) {
    this.method = method;
    who = text(method);
    lock =
        method
            .findAnnotation(WithLock.class)
            .orElseThrow(() ->
                new IllegalStateException(who + " has no @WithLock of its own; it does not run"));
  }

  /** Class, method and types of parameters. */
  static String text(ExecutableMethod<?, ?> method) {
    return Methods.text(
        method.getDeclaringType(), method.getMethodName(), method.getArgumentTypes());
  }

  /**
   * What the annotation says.
   *
   * @param defaultWait the longest time to wait where it says nothing; null for no limit
   * @throws LockedMethodException it does not fit the method
   * @throws io.mortise.annotations.internal.Refusal it does not fit the method
   */
  LockedMethod read(@Nullable Duration defaultWait) {
    ResultKind result = result();
    LockAttributes attributes = attributes();
    attributes.requireFit(who, method.getReturnType().getType(), result);
    return new LockedMethod(
        attributes.names(who, this::template),
        attributes.terms(who, defaultWait),
        text("service"),
        result);
  }

  private ResultKind result() {
    ReturnType<?> type = method.getReturnType();
    if (method.isSuspend()) {
      throw ResultKind.suspending(who);
    }
    ResultKind result = ResultKind.of(type.getType());
    Argument<?> body =
        RESPONSES.contains(type.getType().getName())
            ? type.getFirstTypeVariable().orElse(Argument.OBJECT_ARGUMENT)
            : type.asArgument();
    if (result == ResultKind.VALUE && (body.isReactive() || ResultKind.goesOn(body.getType()))) {
      throw ResultKind.late(who, body.getType());
    }
    return result;
  }

  private LockAttributes attributes() {
    return new LockAttributes(
        new Names(text("name"), List.of(lock.stringValues("names"))),
        lock.enumValue("kind", Kind.class).orElse(Kind.PLAIN),
        new Spans(text("waitFor"), text("lease"), text("maxHold"), text("atLeast")),
        lock.enumValue("ifBusy", IfBusy.class).orElse(IfBusy.FAIL) == IfBusy.SKIP,
        false);
  }

  private String text(String attribute) {
    return lock.stringValue(attribute).orElse("");
  }

  private NameTemplate template(String text) {
    if (EXPRESSION.matcher(text).find()) {
      throw new LockedMethodException(
          "%s has an expression in its lock name \"%s\", which is not read".formatted(who, text),
          "Write a parameter as {name} or {0}");
    }
    List<String> parameters = Arrays.stream(method.getArguments()).map(Argument::getName).toList();
    return new BraceParser(who, parameters.size(), parameters).read(text);
  }
}
