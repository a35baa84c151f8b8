package io.mortise.conformance.spi;

import java.util.List;

/**
 * A script and the answer that every engine must give, on keys that do not exist yet.
 *
 * @param name the subject
 * @param source the Lua text; it may use {@code KEYS[1]} to {@code KEYS[3]}, and {@code ARGV[1]} as
 *     the name of a channel without subscribers
 * @param args {@code ARGV[2]} and following
 * @param reply the exact reply, if it is not an error
 * @param error the prefix of the expected error; empty if none is expected
 */
public record LuaSample(
    String name, String source, List<String> args, List<Object> reply, String error) {
  /**
   * Whether the script must fail.
   *
   * @return whether an {@link #error} is expected instead of a reply
   */
  public boolean fails() {
    return !error.isEmpty();
  }

  @Override
  public String toString() {
    return name;
  }
}
