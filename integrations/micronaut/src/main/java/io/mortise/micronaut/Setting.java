package io.mortise.micronaut;

import io.micronaut.context.exceptions.ConfigurationException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One property. What is refused about it is told in its own name.
 *
 * @param value the text, which no message shows if it may be a secret
 */
record Setting(String property, String value) {
  /**
   * The value.
   *
   * @throws ConfigurationException the reader refuses it
   */
  <T extends @Nullable Object> T read(Function<String, T> reader) {
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "The property %s is \"%s\", but %s".formatted(property, value, e.getMessage()), e);
    }
  }

  /**
   * Passes the value on.
   *
   * @throws ConfigurationException the reader or the setter refuses it
   */
  <T> void apply(Function<String, T> reader, Consumer<T> setter) {
    read(text -> {
      T parsed = reader.apply(text);
      setter.accept(parsed);
      return parsed;
    });
  }
}
