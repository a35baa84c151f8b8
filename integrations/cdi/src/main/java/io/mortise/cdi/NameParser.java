package io.mortise.cdi;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the template of a lock's name, and refuses what would give all calls one name although it
 * looks different: a parameter that is not there, and one that is written as in Spring.
 */
final class NameParser {
  private static final Pattern PARAMETER = Pattern.compile("\\{([^{}]*)}");
  private static final Pattern VARIABLE = Pattern.compile("[#$]([A-Za-z_]\\w*)");
  private static final Pattern INDEX = Pattern.compile("\\d{1,3}");

  private final Method method;
  private final List<String> names;
  private final boolean named;

  NameParser(Method method) {
    this.method = method;
    Parameter[] parameters = method.getParameters();
    names = Arrays.stream(parameters).map(Parameter::getName).toList();
    named = Arrays.stream(parameters).allMatch(Parameter::isNamePresent);
  }

  /** A part of a template: its text, or the number of a parameter if that is not negative. */
  record Part(String text, int parameter) {
    boolean isText() {
      return parameter < 0;
    }
  }

  /**
   * The parts of a template.
   *
   * @throws LockedMethodException it is blank, or no template
   */
  List<Part> read(String template) {
    if (template.isBlank()) {
      throw new LockedMethodException(
          Methods.text(method) + " has a blank lock name", "Give it one: @WithLock(\"orders\")");
    }
    List<Part> parts = new ArrayList<>();
    Matcher parameter = PARAMETER.matcher(template);
    int end = 0;
    while (parameter.find()) {
      addText(template.substring(end, parameter.start()), template, parts);
      parts.add(new Part(parameter.group(), index(parameter.group(1).strip(), template)));
      end = parameter.end();
    }
    addText(template.substring(end), template, parts);
    return List.copyOf(parts);
  }

  private void addText(String text, String template, List<Part> parts) {
    if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
      throw new LockedMethodException(
          "%s has the lock name \"%s\", whose braces do not match"
              .formatted(Methods.text(method), template),
          "Write a parameter as {0} or {name}; a name has no braces of its own");
    }
    Matcher variable = VARIABLE.matcher(text);
    if (variable.find()) {
      throw new LockedMethodException(
          "%s has \"%s\" in its lock name as plain text, so all calls would share one lock"
              .formatted(Methods.text(method), variable.group()),
          "Write {%s} for the parameter".formatted(variable.group(1)));
    }
    if (!text.isEmpty()) {
      parts.add(new Part(text, -1));
    }
  }

  private int index(String parameter, String template) {
    int index =
        INDEX.matcher(parameter).matches()
            ? Integer.parseInt(parameter)
            : named ? names.indexOf(parameter) : -1;
    if (index < 0 || index >= names.size()) {
      throw unknown(parameter, template);
    }
    return index;
  }

  private LockedMethodException unknown(String parameter, String template) {
    String problem =
        "%s has {%s} in its lock name \"%s\", and "
            .formatted(Methods.text(method), parameter, template);
    if (!named && !INDEX.matcher(parameter).matches()) {
      return new LockedMethodException(
          problem + "the names of its parameters are not known",
          "Compile the class with -parameters (-java-parameters in Kotlin), or write {0} for the first parameter");
    }
    if (names.isEmpty()) {
      return new LockedMethodException(
          problem + "the method has no parameters", "Write a name without braces");
    }
    return new LockedMethodException(
        problem
            + (named
                ? "there is no such parameter; they are " + names
                : "there is no such parameter; there are " + names.size()),
        "Write the name of a parameter, or {0} for the first one");
  }
}
