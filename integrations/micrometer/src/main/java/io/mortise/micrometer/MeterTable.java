package io.mortise.micrometer;

import io.micrometer.core.instrument.Tag;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * One meter for each constant of an enum, made when it is first needed and then kept. Thread-safe.
 */
final class MeterTable<E extends Enum<E>, M> {
  private final Map<E, M> made = new ConcurrentHashMap<>();
  private final Function<E, M> maker;

  MeterTable(Function<E, M> maker) {
    this.maker = maker;
  }

  M of(E key) {
    M known = made.get(key);
    return known == null ? made.computeIfAbsent(key, maker) : known;
  }

  /** A tag with the constant's name as its value, in the style of meters: {@code timed-out}. */
  static Tag tag(String name, Enum<?> value) {
    return Tag.of(name, text(value));
  }

  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
