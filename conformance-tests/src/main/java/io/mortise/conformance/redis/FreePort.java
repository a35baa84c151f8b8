package io.mortise.conformance.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports below the range from which a kernel picks those of outgoing connections: so no client can
 * take, nor reach itself by, the port of a server that is down for a moment. A server of a cluster
 * takes the port 10,000 above its own as well, which is below that range too.
 */
final class FreePort {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 22_000;

  private FreePort() {}

  static int next() {
    for (int attempt = 0; attempt < 200; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port found on 127.0.0.1");
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
