package io.mortise.conformance.spi;

import java.util.List;

/**
 * A script and what every engine must answer to it, on keys that do not exist yet.
 *
 * @param name what it shows
 * @param source the Lua text; it may use {@code KEYS[1]} to {@code KEYS[3]}, and {@code ARGV[1]} as
 *     the name of a channel nobody listens to
 * @param args {@code ARGV[2]} and following
 * @param reply the exact reply, if it is not an error
 * @param error how the error it must fail with begins; empty if it must not fail
 */
public record LuaSample(
    String name, String source, List<String> args, List<Object> reply, String error) {
  /**
   * Whether the script must fail.
   *
   * @return whether there is an {@link #error} instead of a reply
   */
  public boolean fails() {
    return !error.isEmpty();
  }

  @Override
  public String toString() {
    return name;
  }
}
