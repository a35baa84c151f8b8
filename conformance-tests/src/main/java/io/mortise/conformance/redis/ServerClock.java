package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of a server that is a child process. A test may step it. A small C library is
 * preloaded into the server. It needs Linux and a C compiler.
 */
final class ServerClock {
  private final Path file;
  private long micros;

  /** A clock that shows the system's time. */
  ServerClock(Path folder) {
    file = folder.resolve("clock");
    write();
  }

  /** Whether this file holds the clock's offset. */
  boolean isKeptIn(Path other) {
    return file.equals(other);
  }

  /** Whether this machine can run it. */
  static boolean isPossible() {
    return Shim.LIBRARY != null;
  }

  /** The environment in which the server must be started. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", String.valueOf(Shim.LIBRARY), "MORTISE_CLOCK", file.toString());
  }

  /** Sets the clock forward, or back if negative. */
  synchronized void step(Duration by) {
    micros += TimeUnit.MICROSECONDS.convert(by);
    write();
  }

  /** Writes in place, because the server has mapped the file. */
  private void write() {
    ByteBuffer value = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    value.putLong(micros).flip();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      int unused = channel.write(value, 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compiled once for each JVM that needs it. */
  private static final class Shim {
    static final @Nullable Path LIBRARY = compile();

    private static @Nullable Path compile() {
      if (!System.getProperty("os.name").equals("Linux")) {
        return null;
      }
      try (InputStream source = ServerClock.class.getResourceAsStream("server-clock.c")) {
        if (source == null) {
          throw new IllegalStateException("server-clock.c is missing from this jar");
        }
        Path folder = Files.createTempDirectory("mortise-server-clock");
        // Files are deleted in the reverse of this order.
        folder.toFile().deleteOnExit();
        Path code = folder.resolve("server-clock.c");
        Path library = folder.resolve("server-clock.so");
        code.toFile().deleteOnExit();
        library.toFile().deleteOnExit();
        Files.copy(source, code);
        return run("cc", "-shared", "-fPIC", "-O1", "-o", library.toString(), code.toString())
            ? library
            : null;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static boolean run(String... command) {
      try {
        Process compiler =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return compiler.waitFor() == 0;
      } catch (IOException e) {
        return false; // there is no compiler
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
