package io.mortise.internal.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.NoBackendException;
import io.mortise.ProviderInfo;
import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A provider is installed, and the client that it needs is not. */
class MissingClientTest {
  private static final String PROVIDER =
      """
      package backend;

      public class Provider implements io.mortise.spi.LockBackendProvider {
        public Provider() {}

        public Provider(client.Client client) {}

        public String name() {
          return "with-client";
        }

        public int spiVersion() {
          return io.mortise.spi.SpiVersion.CURRENT;
        }

        public java.util.Set<String> schemes() {
          return java.util.Set.of("missing");
        }

        public io.mortise.spi.LockBackend open(io.mortise.spi.BackendConfig config) {
          throw new UnsupportedOperationException();
        }
      }
      """;

  @TempDir Path directory;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @BeforeEach
  void installProviderWithoutClient() throws IOException {
    Path client = write("client/Client.java", "package client; public class Client {}");
    Path provider = write("backend/Provider.java", PROVIDER);
    Path unused =
        write("META-INF/services/" + LockBackendProvider.class.getName(), "backend.Provider\n");
    String spi = location(LockBackendProvider.class);
    String nullness = location(org.jspecify.annotations.Nullable.class);
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                spi + System.getProperty("path.separator") + nullness,
                client.toString(),
                provider.toString());
    assertEquals(0, failed);
    Files.delete(directory.resolve("client/Client.class"));
    URL[] urls = {directory.toUri().toURL()};
    Thread.currentThread().setContextClassLoader(new URLClassLoader(urls, before));
  }

  private Path write(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  @AfterEach
  void restore() throws IOException {
    ClassLoader with = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(before);
    if (with instanceof URLClassLoader loader) {
      loader.close();
    }
  }

  @Test
  void aProviderWhoseClientIsMissingIsListedWithTheMissingClassAndItsJar() {
    ProviderInfo broken =
        LockService.providers().stream()
            .filter(each -> each.name().equals("backend.Provider"))
            .findFirst()
            .orElseThrow();

    String problem = broken.problem().orElseThrow();
    assertTrue(problem.contains("client.Client is missing"), problem);
    assertTrue(broken.location().contains(directory.toString()), broken.location());
  }

  @Test
  void openingAServiceShowsTheMissingClass() {
    NoBackendException e =
        assertThrows(NoBackendException.class, () -> LockService.open("missing://somewhere"));

    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains("client.Client is missing"), message);
    assertTrue(message.contains("backend.Provider"), message);
  }
}
