package io.mortise.micronaut;

import io.micronaut.core.type.Argument;
import io.micronaut.inject.ExecutableMethod;
import io.mortise.micronaut.NameTemplate.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the template of a lock's name. It refuses what would give all calls one name although it
 * looks different: a parameter without braces, and one that does not exist.
 */
final class NameParser {
  private static final Pattern PIECE = Pattern.compile("\\{([^{}]*)}|[{}]|[^{}]+");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,3}");
  private static final Pattern VARIABLE = Pattern.compile("[#$]([A-Za-z_]\\w*)");

  private final String template;
  private final String who;
  private final List<String> parameters;
  private final List<Part> parts = new ArrayList<>();

  NameParser(String template, ExecutableMethod<?, ?> method) {
    this.template = template;
    who = Methods.text(method);
    parameters = Arrays.stream(method.getArguments()).map(Argument::getName).toList();
  }

  /**
   * The parts of the template.
   *
   * @throws LockedMethodException it is blank, or no template
   */
  List<Part> read() {
    if (template.isBlank()) {
      throw new LockedMethodException(
          who + " has a blank lock name", "Give it one: @WithLock(\"orders\")");
    }
    Matcher piece = PIECE.matcher(template);
    while (piece.find()) {
      if (piece.group(1) == null) {
        parts.add(literal(piece.group()));
      } else {
        parts.add(new Part(piece.group(1), parameter(piece.group(1))));
      }
    }
    return List.copyOf(parts);
  }

  private int parameter(String name) {
    int index = NUMBER.matcher(name).matches() ? Integer.parseInt(name) : parameters.indexOf(name);
    if (index < 0 || index >= parameters.size()) {
      throw refused("has {%s}, and there is no such parameter".formatted(name));
    }
    return index;
  }

  /** A text such as {@code orders:#id} would be one lock for all ids. */
  private Part literal(String text) {
    if (text.equals("{") || text.equals("}")) {
      throw refused("has braces that do not match");
    }
    Matcher variable = VARIABLE.matcher(text);
    if (variable.find()) {
      throw refused(
          "has \"%s\" as plain text, so all calls would share one lock"
              .formatted(variable.group()));
    }
    if (text.endsWith("#") || text.endsWith("$")) {
      throw refused("has an expression, which is not read");
    }
    return new Part(text, -1);
  }

  private LockedMethodException refused(String problem) {
    return new LockedMethodException(
        "%s: its lock name \"%s\" %s".formatted(who, template, problem),
        "Write a parameter as {name} or {0}, and no other braces; its parameters are %s"
            .formatted(parameters));
  }
}
