package io.mortise.annotations.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads templates of names with {@code {parameter}} and {@code {0}}, and refuses what would give
 * all calls one name although it looks different: a parameter that is not there, and one that is
 * written as in Spring.
 */
public final class BraceParser {
  private static final Pattern PARAMETER = Pattern.compile("\\{([^{}]*)}");
  private static final Pattern VARIABLE = Pattern.compile("[#$]([A-Za-z_]\\w*)");
  private static final Pattern INDEX = Pattern.compile("\\d{1,3}");

  private final String who;
  private final int count;
  private final @Nullable List<String> names;

  /**
   * For the templates of one method.
   *
   * @param who the method, for messages
   * @param count how many parameters it has
   * @param names the names of its parameters; null if they are not known
   */
  public BraceParser(String who, int count, @Nullable List<String> names) {
    this.who = who;
    this.count = count;
    this.names = names;
  }

  /**
   * Reads one.
   *
   * @throws Refusal it is blank, or no template
   */
  public NameTemplate read(String template) {
    LockAttributes.refuseBlank(who, template);
    List<NamePart> parts = new ArrayList<>();
    Matcher parameter = PARAMETER.matcher(template);
    int end = 0;
    while (parameter.find()) {
      addText(template.substring(end, parameter.start()), template, parts);
      int index = index(parameter.group(1).strip(), template);
      parts.add(new NamePart.Parameter(parameter.group(), index));
      end = parameter.end();
    }
    addText(template.substring(end), template, parts);
    return new NameTemplate(who, List.copyOf(parts));
  }

  private void addText(String text, String template, List<NamePart> parts) {
    if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
      throw new Refusal(
          "%s has the lock name \"%s\", whose braces do not match".formatted(who, template),
          "Write a parameter as {0} or {name}; a name has no braces of its own");
    }
    Matcher variable = VARIABLE.matcher(text);
    if (variable.find()) {
      throw new Refusal(
          "%s has \"%s\" in its lock name as plain text, so all calls would share one lock"
              .formatted(who, variable.group()),
          "Write {%s} for the parameter".formatted(variable.group(1)));
    }
    if (!text.isEmpty()) {
      parts.add(new NamePart.Text(text));
    }
  }

  private int index(String parameter, String template) {
    boolean isNumber = INDEX.matcher(parameter).matches();
    int index =
        isNumber ? Integer.parseInt(parameter) : names == null ? -1 : names.indexOf(parameter);
    if (index >= 0 && index < count) {
      return index;
    }
    String problem =
        "%s has {%s} in its lock name \"%s\", and ".formatted(who, parameter, template);
    if (names == null && !isNumber) {
      throw new Refusal(
          problem + "the names of its parameters are not known",
          "Compile the class with -parameters (-java-parameters in Kotlin), or write {0} for the first parameter");
    }
    if (count == 0) {
      throw new Refusal(problem + "the method has no parameters", "Write a name without braces");
    }
    throw new Refusal(
        problem
            + "there is no such parameter; "
            + (names == null ? "there are " + count : "they are " + names),
        "Write the name of a parameter, or {0} for the first one");
  }
}
