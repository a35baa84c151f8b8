package io.mortise.spi;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script. It replies with an array or an integer.
 *
 * @param name the script's name in messages
 * @param source the Lua text
 * @param sha1 the digest that identifies the script in {@code EVALSHA}, 40 lower-case hex digits
 */
public record Script(String name, String source, String sha1) {
  /**
   * Creates a script and computes its digest.
   *
   * @param name the script's name in messages
   * @param source the Lua text
   * @return the script
   */
  public static Script of(String name, String source) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
      return new Script(name, source, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  @Override
  public String toString() {
    return name + '@' + sha1;
  }
}
