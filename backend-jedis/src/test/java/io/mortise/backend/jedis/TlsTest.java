package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that speak TLS; the certificates are made by openssl. */
class TlsTest {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";
  private static final String SECRET = "Wort-99";

  @TempDir Path folder;
  private RedisServer server;
  private int port;

  @BeforeEach
  void startServer() throws Exception {
    certificate("server", "127.0.0.1");
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    server =
        RedisServer.builder()
            .password(SECRET)
            .arguments("--tls-port", String.valueOf(port), "--tls-auth-clients", "no")
            .arguments("--tls-cert-file", folder.resolve("server.pem").toString())
            .arguments("--tls-key-file", folder.resolve("server.key").toString())
            .start();
  }

  @AfterEach
  void stopServer() {
    System.clearProperty(TRUST_STORE);
    System.clearProperty(TRUST_STORE + "Password");
    server.close();
  }

  private void certificate(String name, String address) throws Exception {
    ProcessBuilder openssl =
        new ProcessBuilder(
            "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -keyout %s -out %s"
                .formatted(folder.resolve(name + ".key"), folder.resolve(name + ".pem"))
                .split(" "));
    openssl.command().add("-addext");
    openssl.command().add("subjectAltName=IP:" + address);
    Process process;
    try {
      process = openssl.redirectErrorStream(true).start();
    } catch (IOException e) {
      Assumptions.abort("there is no openssl: " + e.getMessage());
      return;
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
  }

  private void trust(String name) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = Files.newInputStream(folder.resolve(name + ".pem"))) {
      store.setCertificateEntry(
          name, CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    Path file = folder.resolve(name + ".p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, "changeit".toCharArray());
    }
    System.setProperty(TRUST_STORE, file.toString());
    System.setProperty(TRUST_STORE + "Password", "changeit");
  }

  private URI uri(String scheme, int port) {
    return URI.create(scheme + "://:" + SECRET + "@127.0.0.1:" + port);
  }

  private static void assertRefused(URI uri, String why) {
    BackendException error = assertFails(Outcome.NOT_EXECUTED, () -> open(uri));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains(uri.getHost() + ':' + uri.getPort()), message);
    assertTrue(message.contains(why), message);
    assertFalse(message.contains(SECRET), message);
  }

  @Test
  @DisplayName("B16: rediss speaks TLS to a server whose certificate is trusted")
  void aTrustedServer() throws Exception {
    trust("server");
    try (LockBackend backend = open(uri("rediss", port))) {
      assertWorks(backend);
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      assertEquals(1L, server.command("PUBLISH", "channel", "hello"));
      recorder.await(2);
    }
  }

  @Test
  @DisplayName("B13: a link with TLS that has gone silent is found, and ended though it is read")
  void aSilentLink() throws Throwable {
    trust("server");
    try (LockBackend backend = open(uri("rediss", port))) {
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      server.pause();
      assertTook(Duration.ofSeconds(8), () -> recorder.await(2));
      server.resume();
      recorder.await(3);
    }
  }

  @Test
  @DisplayName(
      "B16, B18: a certificate that is not trusted is refused, and so is one of another host")
  void anUntrustedServer() throws Exception {
    certificate("other", "127.0.0.1");
    trust("other");
    assertRefused(uri("rediss", port), "trust anchors");
    trust("server");
    assertRefused(URI.create("rediss://:" + SECRET + "@localhost:" + port), "No name matching");
  }

  @Test
  @DisplayName("B16, B18: TLS to a plain port and plain to a TLS port are refused")
  void theWrongScheme() throws Exception {
    trust("server");
    assertRefused(uri("rediss", server.port()), "check host, port, TLS (rediss)");
    assertRefused(uri("redis", port), "check host, port, TLS (rediss)");
  }
}
