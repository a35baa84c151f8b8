package io.mortise.backend.support;

import io.mortise.spi.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;

/** Calls in the bytes of Redis's protocol, for clients that let a command write itself. */
public final class Protocol {
  private static final Recent<byte[]> COUNTS = bytes(count -> "*" + count + "\r\n");
  private static final Recent<byte[]> WORDS = bytes(Protocol::withSize);
  private static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

  private Protocol() {}

  private static Recent<byte[]> bytes(Function<String, String> form) {
    return new Recent<>(text -> form.apply(text).getBytes(StandardCharsets.UTF_8));
  }

  private static String withSize(String word) {
    return "$" + word.getBytes(StandardCharsets.UTF_8).length + "\r\n" + word + "\r\n";
  }

  /**
   * Writes a call.
   *
   * @param call what to run
   * @param byText whether as {@code EVAL}, else as {@code EVALSHA}
   * @param to is given the bytes, piece by piece; it does not change them
   */
  public static void write(ScriptCall call, boolean byText, Consumer<byte[]> to) {
    int words = 3 + call.keys().size() + call.args().size();
    to.accept(COUNTS.of(String.valueOf(words)));
    Consumer<String> writer = word -> to.accept(WORDS.of(word));
    writer.accept(byText ? "EVAL" : "EVALSHA");
    PendingCall.arguments(call, byText, writer);
  }

  /**
   * Writes a command that changes nothing.
   *
   * @param to is given the bytes; it does not change them
   */
  public static void writePing(Consumer<byte[]> to) {
    to.accept(PING);
  }
}
