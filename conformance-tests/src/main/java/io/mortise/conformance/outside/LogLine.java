package io.mortise.conformance.outside;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One line of a log: {@code 1200000 w1 in stay=7 token=12}.
 *
 * @param at ns since the start of the run
 * @param source the writer
 * @param verb the event
 * @param fields the rest, by name; no value contains a blank
 */
record LogLine(long at, String source, String verb, Map<String, String> fields) {
  static LogLine of(long at, String source, String verb, Object... namesAndValues) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(
          namesAndValues[i].toString(), namesAndValues[i + 1].toString().replaceAll("\\s", "_"));
    }
    return new LogLine(at, source, verb, fields);
  }

  static LogLine parse(String text) {
    String[] words = text.split(" ", -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      fields.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return new LogLine(Long.parseLong(words[0]), words[1], words[2], fields);
  }

  @Nullable String find(String field) {
    return fields.get(field);
  }

  String text(String field) {
    String value = find(field);
    if (value == null) {
      throw new IllegalArgumentException("no field '" + field + "' in: " + this);
    }
    return value;
  }

  long number(String field) {
    return Long.parseLong(text(field));
  }

  long number(String field, long otherwise) {
    String value = find(field);
    return value == null ? otherwise : Long.parseLong(value);
  }

  boolean is(String field) {
    return Boolean.parseBoolean(find(field));
  }

  @Override
  public String toString() {
    return at
        + " "
        + source
        + ' '
        + verb
        + fields.entrySet().stream()
            .map(field -> ' ' + field.getKey() + '=' + field.getValue())
            .collect(Collectors.joining());
  }
}
