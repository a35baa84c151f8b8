package io.mortise.internal.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The id of a service in the store: host, process and a random part. It has no colon.
 *
 * @param text {@code host~pid~random}
 */
public record ClientId(String text) {
  private static final int LONGEST_HOST = 64;

  public static ClientId create() {
    byte[] random = new byte[8];
    new SecureRandom().nextBytes(random);
    String pid = Long.toString(ProcessHandle.current().pid());
    return new ClientId(host() + '~' + pid + '~' + HexFormat.of().formatHex(random));
  }

  private static String host() {
    String name;
    try {
      name = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      name = "unknown";
    }
    String plain = name.replaceAll("[^A-Za-z0-9._-]", "_");
    return plain.length() <= LONGEST_HOST ? plain : plain.substring(0, LONGEST_HOST);
  }

  @Override
  public String toString() {
    return text;
  }
}
