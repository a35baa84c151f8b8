package io.mortise.annotations.internal;

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
 * The template of a lock's name. No part is replaced by a text that other calls would share: null,
 * blank text and an object without a text of its own are refused. So are collections, arrays and
 * maps: their text is that of their elements, which may have none of their own.
 *
 * @param who the method, for messages
 */
public record NameTemplate(String who, List<NamePart> parts) {
  /**
   * The name for a call.
   *
   * @throws IllegalArgumentException a part of it is null, blank, or has no text of its own
   */
  String one(@Nullable Object[] arguments) {
    StringBuilder name = new StringBuilder();
    for (NamePart part : parts) {
      name.append(
          part instanceof NamePart.Text
              ? part.text()
              : text(part, unwrapped(part.value(arguments))));
    }
    return name.toString();
  }

  /**
   * The names for a call. A part that gives a collection or an array gives a name for each of its
   * elements.
   *
   * @throws IllegalArgumentException a part of a name is null, blank, or has no text of its own, or
   *     two parts give lists
   */
  List<String> all(@Nullable Object[] arguments) {
    List<String> names = List.of("");
    boolean listed = false;
    for (NamePart part : parts) {
      if (part instanceof NamePart.Text) {
        names = joined(names, List.of(part.text()));
        continue;
      }
      Object value = unwrapped(part.value(arguments));
      List<?> list = elements(value);
      if (list != null && listed) {
        throw new IllegalArgumentException(
            "%s: %s is a second list in one lock name; write names that have one list each"
                .formatted(who, part.text()));
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

  private String text(NamePart part, @Nullable Object value) {
    if (value == null) {
      throw problem(part, "is null; a lock needs a name: is every argument there?");
    }
    String type = value.getClass().getTypeName();
    if (value instanceof Map || elements(value) != null) {
      throw problem(
          part,
          "is a %s, which names no single lock; write a flat list into names for a lock of each element, or use one id of it"
              .formatted(type));
    }
    String text = value.toString();
    if (text == null || text.isBlank()) {
      throw problem(part, "is blank; a lock needs a name: is every argument there?");
    }
    if (isTextOfObject(text, value)) {
      throw problem(
          part, "is a %s, whose text differs from object to object; use its id".formatted(type));
    }
    return text;
  }

  /**
   * Whether {@link Object#toString} gives it. To look for an own method, a native image needs
   * metadata. The hash of an object with a text of its own may fail, and is not asked for.
   */
  private static boolean isTextOfObject(String text, Object value) {
    String begin = value.getClass().getName() + '@';
    return text.startsWith(begin) && text.equals(begin + Integer.toHexString(value.hashCode()));
  }

  private IllegalArgumentException problem(NamePart part, String what) {
    return new IllegalArgumentException(
        "%s: %s in its lock name %s".formatted(who, part.text(), what));
  }
}
