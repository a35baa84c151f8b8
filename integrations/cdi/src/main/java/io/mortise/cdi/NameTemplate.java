package io.mortise.cdi;

import io.mortise.cdi.NameParser.Part;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The template of a lock's name. No parameter is replaced by a text that other calls would share:
 * null, blank text and an object without a text of its own are refused. So are collections, arrays
 * and maps: their text is that of their elements, which may have none of their own.
 */
final class NameTemplate {
  /** Whether the objects of a class have a text of their own. */
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return type.getMethod("toString").getDeclaringClass() != Object.class;
          } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
          }
        }
      };

  private final Method method;
  private final List<Part> parts;

  /**
   * Reads a template.
   *
   * @throws LockedMethodException it is blank, or no template
   */
  NameTemplate(String text, Method method) {
    this.method = method;
    parts = new NameParser(method).read(text);
  }

  /**
   * The name for a call.
   *
   * @throws IllegalArgumentException a part of it is null, blank, or has no text of its own
   */
  String of(@Nullable Object[] arguments) {
    StringBuilder name = new StringBuilder();
    for (Part part : parts) {
      name.append(part.isText() ? part.text() : text(part, value(part, arguments)));
    }
    return name.toString();
  }

  /**
   * The names for a call. A parameter that is a collection or an array gives a name for each of its
   * elements.
   *
   * @throws IllegalArgumentException a part of a name is null, blank, or has no text of its own, or
   *     two parameters are lists
   */
  List<String> all(@Nullable Object[] arguments) {
    List<String> names = List.of("");
    boolean listed = false;
    for (Part part : parts) {
      if (part.isText()) {
        names = joined(names, List.of(part.text()));
        continue;
      }
      Object value = value(part, arguments);
      List<?> list = elements(value);
      if (list != null && listed) {
        throw new IllegalArgumentException(
            "%s: %s is a second list in one lock name; write names that have one list each"
                .formatted(Methods.text(method), part.text()));
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

  private static @Nullable Object value(Part part, @Nullable Object[] arguments) {
    return unwrapped(arguments[part.parameter()]);
  }

  private static @Nullable Object unwrapped(@Nullable Object value) {
    return value instanceof Optional<?> optional ? optional.orElse(null) : value;
  }

  private String text(Part part, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(problem(part, "is null"));
    }
    if (value instanceof Map || elements(value) != null) {
      throw new IllegalArgumentException(
          "%s: %s in its lock name is a %s, which names no single lock; write a flat list into names for a lock of each element, or make an id a parameter"
              .formatted(Methods.text(method), part.text(), value.getClass().getTypeName()));
    }
    if (!HAS_TEXT.get(value.getClass())) {
      throw new IllegalArgumentException(
          "%s: %s in its lock name is a %s, whose text differs from object to object; make its id a parameter"
              .formatted(Methods.text(method), part.text(), value.getClass().getTypeName()));
    }
    String text = value.toString();
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(problem(part, "is blank"));
    }
    return text;
  }

  private String problem(Part part, String what) {
    return "%s: %s in its lock name %s; a lock needs a name: is every argument there?"
        .formatted(Methods.text(method), part.text(), what);
  }
}
