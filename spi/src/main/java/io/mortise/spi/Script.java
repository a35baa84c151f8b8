package io.mortise.spi;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One Lua script. Every script replies with an array.
 *
 * @param name for messages
 * @param source the Lua text
 * @param sha1 the digest by which {@code EVALSHA} names the script, 40 lower-case hex digits
 */
public record Script(String name, String source, String sha1) {
  /**
   * A script of the given text, its digest computed here.
   *
   * @param name for messages
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
