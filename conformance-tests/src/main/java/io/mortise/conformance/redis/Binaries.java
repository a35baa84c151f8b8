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

/**
 * The executables of Redis. {@code -Dmortise.server=FOLDER} puts the {@code bin/redis-server} of
 * that folder in place of the one on the {@code PATH}, and {@code -Dmortise.server=embedded} the
 * embedded one.
 */
final class Binaries {
  private static final String SERVER = "mortise.server";
  private static final String EMBEDDED = "embedded";

  private Binaries() {}

  static Path of(RedisServer.Binary binary) {
    Path installed = binary == RedisServer.Binary.INSTALLED ? installed() : null;
    return installed != null ? installed : Embedded.SERVER;
  }

  static boolean isInstalled() {
    return installed() != null;
  }

  private static @Nullable Path installed() {
    String chosen = System.getProperty(SERVER, "");
    return chosen.isEmpty() ? onPath() : chosen.equals(EMBEDDED) ? null : in(Path.of(chosen));
  }

  private static Path in(Path folder) {
    Path server = folder.resolve("bin/redis-server");
    if (!folder.isAbsolute() || !Files.isExecutable(server)) {
      throw new IllegalArgumentException(
          "-D%s=%s: give the absolute path of a folder with an executable bin/redis-server, or the word %s"
              .formatted(SERVER, folder, EMBEDDED));
    }
    return server;
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
