package io.mortise.annotations.internal;

import org.jspecify.annotations.Nullable;

/** A part of the template of a lock's name. */
public interface NamePart {
  /** How it is written in the template. */
  String text();

  /**
   * What it stands for in a call.
   *
   * @throws IllegalArgumentException it cannot be found out
   */
  @Nullable Object value(@Nullable Object[] arguments);

  /** A text that stands for itself. */
  record Text(String text) implements NamePart {
    @Override
    public String value(@Nullable Object[] arguments) {
      return text;
    }
  }

  /** A parameter. */
  record Parameter(String text, int index) implements NamePart {
    @Override
    public @Nullable Object value(@Nullable Object[] arguments) {
      return arguments[index];
    }
  }
}
