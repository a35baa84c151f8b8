package io.mortise.conformance.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Ports of 127.0.0.1 that belong to this JVM alone. Without that, a test of another JVM could start
 * its server on a port of ours while our server is down. Our clients would then connect to it.
 *
 * <p>The ports come in blocks, each behind a lock file. All are below the range of ports that a
 * kernel picks for outgoing connections. So no client can take such a port, or connect to itself by
 * it. A server of a cluster also takes the port 10,000 above its own, which is below that range
 * too.
 */
final class FreePort {
  private static final int LOWEST = 12_000;
  private static final int BLOCK = 100;
  private static final int BLOCKS = 100;

  private static final int FIRST = firstOfOwnBlock();
  private static final AtomicInteger GIVEN = new AtomicInteger();

  /** Kept until the JVM ends. */
  private static @Nullable FileLock reservation;

  private FreePort() {}

  /** The unused port that was given out longest ago, or never. */
  static int next() {
    for (int attempt = 0; attempt < BLOCK; attempt++) {
      int port = FIRST + Math.floorMod(GIVEN.getAndIncrement(), BLOCK);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " on 127.0.0.1");
  }

  private static int firstOfOwnBlock() {
    int start = ThreadLocalRandom.current().nextInt(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      int first = LOWEST + (start + i) % BLOCKS * BLOCK;
      if (reserve(first)) {
        return first;
      }
    }
    throw new IllegalStateException(
        "all blocks of ports are taken: see mortise-ports-*.lock in "
            + System.getProperty("java.io.tmpdir"));
  }

  private static boolean reserve(int first) {
    Path file = Path.of(System.getProperty("java.io.tmpdir"), "mortise-ports-" + first + ".lock");
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      reservation = channel.tryLock();
      if (reservation == null) {
        channel.close();
      }
      return reservation != null;
    } catch (IOException | OverlappingFileLockException e) {
      return false; // of another user or class loader
    }
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
