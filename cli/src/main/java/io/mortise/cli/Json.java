package io.mortise.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One value in JSON, on one line. All but ASCII is escaped, so no terminal can be told anything.
 */
final class Json {
  private Json() {}

  /** An object whose names and values alternate. Its order is kept. */
  static Map<String, @Nullable Object> object(@Nullable Object... pairs) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      object.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return object;
  }

  /**
   * Writes a value.
   *
   * @param value null, text, a number, a boolean, a duration (as milliseconds), a map or a list
   */
  static String of(@Nullable Object value) {
    StringBuilder text = new StringBuilder();
    write(value, text);
    return text.toString();
  }

  private static void write(@Nullable Object value, StringBuilder to) {
    if (value instanceof Map<?, ?> object) {
      String gap = "";
      to.append('{');
      for (Map.Entry<?, ?> each : object.entrySet()) {
        to.append(gap);
        quote(String.valueOf(each.getKey()), to);
        to.append(':');
        write(each.getValue(), to);
        gap = ",";
      }
      to.append('}');
    } else if (value instanceof Iterable<?> list) {
      String gap = "";
      to.append('[');
      for (Object each : list) {
        to.append(gap);
        write(each, to);
        gap = ",";
      }
      to.append(']');
    } else if (value instanceof Duration time) {
      to.append(time.toMillis());
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      to.append(value);
    } else {
      quote(value.toString(), to);
    }
  }

  private static void quote(String text, StringBuilder to) {
    to.append('"');
    for (int i = 0; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '"' || each == '\\') {
        to.append('\\').append(each);
      } else if (each < ' ' || each > '~') {
        to.append("\\u%04x".formatted((int) each));
      } else {
        to.append(each);
      }
    }
    to.append('"');
  }
}
