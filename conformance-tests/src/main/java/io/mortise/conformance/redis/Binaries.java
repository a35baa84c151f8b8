package io.mortise.conformance.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/** The executables of Redis. */
final class Binaries {
  private Binaries() {}

  static Path of(RedisServer.Binary binary) {
    Path installed = binary == RedisServer.Binary.INSTALLED ? onPath() : null;
    return installed != null ? installed : Embedded.SERVER;
  }

  static boolean isInstalled() {
    return onPath() != null;
  }

  private static @Nullable Path onPath() {
    String path = System.getenv("PATH");
    return Stream.of(path == null ? new String[0] : path.split(Pattern.quote(File.pathSeparator)))
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /** Extracted once for each JVM that needs it. */
  private static final class Embedded {
    static final Path SERVER = extract();

    private static Path extract() {
      try {
        Path folder = Files.createTempDirectory("mortise-redis-binary");
        // Files are deleted in the reverse of this order.
        folder.toFile().deleteOnExit();
        File server = ExecutableProvider.newJarResourceProvider(folder.toFile()).get();
        server.deleteOnExit();
        return server.toPath();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
