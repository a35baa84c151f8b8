package io.mortise.micronaut;

import io.micronaut.inject.ExecutableMethod;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The template of a lock's name. No argument is replaced by a text that other calls would share:
 * null, blank text and an object without a text of its own are refused.
 */
final class NameTemplate {
  /** A part of a template: its text, or the number of a parameter if that is not negative. */
  record Part(String text, int parameter) {
    boolean isText() {
      return parameter < 0;
    }
  }

  /** Whether the objects of a class have a text of their own. */
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return !type.isArray()
                && !Collection.class.isAssignableFrom(type)
                && !Map.class.isAssignableFrom(type)
                && type.getMethod("toString").getDeclaringClass() != Object.class;
          } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
          }
        }
      };

  private final String who;
  private final List<Part> parts;

  /**
   * Reads a template.
   *
   * @param text properties are replaced already
   * @throws LockedMethodException it is blank, or no template
   */
  NameTemplate(String text, ExecutableMethod<?, ?> method) {
    who = Methods.text(method);
    parts = new NameParser(text, method).read();
  }

  /**
   * The name for a call.
   *
   * @throws IllegalArgumentException an argument in it is null, blank, or has no text of its own
   */
  String one(@Nullable Object[] arguments) {
    StringBuilder name = new StringBuilder();
    for (Part part : parts) {
      name.append(part.isText() ? part.text : text(part, unwrapped(arguments[part.parameter])));
    }
    return name.toString();
  }

  /**
   * The names for a call. An argument that is a collection or an array gives a name for each of its
   * elements.
   *
   * @throws IllegalArgumentException an argument in a name is null, blank, or has no text of its
   *     own, or two of them are lists
   */
  List<String> all(@Nullable Object[] arguments) {
    List<String> names = List.of("");
    boolean listed = false;
    for (Part part : parts) {
      if (part.isText()) {
        names = joined(names, List.of(part.text));
        continue;
      }
      Object value = unwrapped(arguments[part.parameter]);
      List<?> list = elements(value);
      if (list != null && listed) {
        throw new IllegalArgumentException(
            problem(part, "is a second list in one name; write names that have one list each"));
      }
      listed |= list != null;
      List<?> values = list == null ? Collections.singletonList(value) : list;
      names = joined(names, values.stream().map(each -> text(part, unwrapped(each))).toList());
    }
    return names;
  }

  /** The elements of a collection or an array; null if it is neither. */
  private static @Nullable List<?> elements(@Nullable Object value) {
    if (value instanceof Collection<?> collection) {
      return new ArrayList<>(collection);
    }
    return value != null && value.getClass().isArray()
        ? IntStream.range(0, Array.getLength(value)).mapToObj(i -> Array.get(value, i)).toList()
        : null;
  }

  /** Each beginning with each end. At most one of the two lists has several elements. */
  private static List<String> joined(List<String> begins, List<String> ends) {
    return begins.stream().flatMap(begin -> ends.stream().map(end -> begin + end)).toList();
  }

  private static @Nullable Object unwrapped(@Nullable Object value) {
    return value instanceof Optional<?> optional ? optional.orElse(null) : value;
  }

  private String text(Part part, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(problem(part, "is null"));
    }
    if (!HAS_TEXT.get(value.getClass())) {
      throw new IllegalArgumentException(
          problem(
              part,
              "is a %s, which has no text that names it; pass its id or key as a parameter, or write a flat list into names"
                  .formatted(value.getClass().getTypeName())));
    }
    String text = value.toString();
    if (text.isBlank()) {
      throw new IllegalArgumentException(problem(part, "is a blank text"));
    }
    return text;
  }

  private String problem(Part part, String what) {
    return "%s did not run: {%s} in its lock name %s".formatted(who, part.text, what);
  }
}
