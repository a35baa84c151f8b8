package io.mortise.conformance.spi;

import java.util.List;

/**
 * A script and what every engine must answer to it, on keys that do not exist yet.
 *
 * @param name what it shows
 * @param source the Lua text; it may use {@code KEYS[1]} to {@code KEYS[3]}, and {@code ARGV[1]} as
 *     the name of a channel nobody listens to
 * @param args {@code ARGV[2]} and following
 * @param reply the exact reply; an array whose one element starts with {@code "error: "} stands for
 *     an error reply that starts with the rest
 */
public record LuaSample(String name, String source, List<String> args, List<Object> reply) {
  private static final String ERROR = "error: ";

  static LuaSample of(String name, String source, Object... reply) {
    return new LuaSample(name, source, List.of(), List.of(reply));
  }

  static LuaSample fails(String name, String source, String error) {
    return new LuaSample(name, source, List.of(), List.of(ERROR + error));
  }

  LuaSample with(String... more) {
    return new LuaSample(name, source, List.of(more), reply);
  }

  /**
   * Whether an engine's error reply is the expected one.
   *
   * @param message the error as the engine gave it
   * @return whether an error is expected and the message starts as it should
   */
  public boolean expectsError(String message) {
    return expectsError()
        && message.startsWith(String.valueOf(reply.get(0)).substring(ERROR.length()));
  }

  /**
   * Whether the script must fail.
   *
   * @return whether {@link #reply} stands for an error
   */
  public boolean expectsError() {
    return reply.size() == 1 && String.valueOf(reply.get(0)).startsWith(ERROR);
  }

  @Override
  public String toString() {
    return name;
  }
}
