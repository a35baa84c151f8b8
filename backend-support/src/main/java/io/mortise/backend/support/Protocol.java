package io.mortise.backend.support;

import io.mortise.spi.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;

/** Writes calls in the bytes of Redis's protocol, for clients whose commands write themselves. */
public final class Protocol {
  private static final InternCache<byte[]> COUNTS = bytes(count -> "*" + count + "\r\n");
  private static final InternCache<byte[]> WORDS = bytes(Protocol::withSize);
  static final byte[] PING = "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII);

  private Protocol() {}

  private static InternCache<byte[]> bytes(Function<String, String> form) {
    return new InternCache<>(text -> form.apply(text).getBytes(StandardCharsets.UTF_8));
  }

  private static String withSize(String word) {
    return "$" + word.getBytes(StandardCharsets.UTF_8).length + "\r\n" + word + "\r\n";
  }

  /**
   * Writes a script call.
   *
   * @param call the script call to run
   * @param byText true for {@code EVAL}, false for {@code EVALSHA}
   * @param to receives the bytes, piece by piece, and must not change them
   */
  public static void write(ScriptCall call, boolean byText, Consumer<byte[]> to) {
    int words = 3 + call.keys().size() + call.args().size();
    to.accept(COUNTS.of(String.valueOf(words)));
    to.accept(WORDS.of(byText ? "EVAL" : "EVALSHA"));
    PendingCall.arguments(call, byText, to, (each, word) -> each.accept(WORDS.of(word)));
  }

  /**
   * Writes a PING, which changes nothing.
   *
   * @param to receives the bytes, and must not change them
   */
  public static void writePing(Consumer<byte[]> to) {
    to.accept(PING);
  }
}
