package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.failure;
import static io.mortise.backend.lettuce.Fixture.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS, and a certificate for the name localhost only. */
final class TlsTest {
  private static final String PASSWORD = "changeit";
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";

  private static Path trust = Path.of("");
  private static RedisServer.Builder builder = RedisServer.builder();
  private static int port;

  private final RedisServer server = builder.start();

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    Path store = folder.resolve("store.p12");
    generateKey(store);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("redis", keys.getCertificate("redis"));
    trust = folder.resolve("trust.p12");
    try (OutputStream out = Files.newOutputStream(trust)) {
      trusted.store(out, PASSWORD.toCharArray());
    }
    byte[] key = keys.getKey("redis", PASSWORD.toCharArray()).getEncoded();
    byte[] certificate = keys.getCertificate("redis").getEncoded();
    port = Fixture.freePort();
    builder =
        RedisServer.builder()
            .arguments("--tls-port", String.valueOf(port), "--tls-auth-clients", "no")
            .arguments("--tls-key-file", pem(folder, "PRIVATE KEY", key))
            .arguments("--tls-cert-file", pem(folder, "CERTIFICATE", certificate))
            .arguments("--tls-ca-cert-file", pem(folder, "CERTIFICATE", certificate));
  }

  private static void generateKey(Path store) throws Exception {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                keytool,
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertEquals(0, process.waitFor());
  }

  private static String pem(Path folder, String kind, byte[] content) throws Exception {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    String text = "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n";
    Path file = folder.resolve(kind.charAt(0) + ".pem");
    return Files.writeString(file, text, StandardCharsets.US_ASCII).toString();
  }

  @AfterEach
  void stop() {
    server.close();
    System.clearProperty(TRUST_STORE);
    System.clearProperty(TRUST_STORE + "Password");
  }

  private static void trustTheServer() {
    System.setProperty(TRUST_STORE, trust.toString());
    System.setProperty(TRUST_STORE + "Password", PASSWORD);
  }

  private static URI uri(String host) {
    return URI.create("rediss://:hush@" + host + ':' + port);
  }

  @Test
  @DisplayName("rediss: uses TLS with a server whose certificate the JVM trusts")
  void aTrustedServerIsServed() {
    trustTheServer();
    try (LockBackend backend = Fixture.open(URI.create("rediss://localhost:" + port))) {
      Recorder recorder = new Recorder();
      backend.subscribe("ch", recorder);
      recorder.await("subscribed");
      assertEquals(List.of(1L), backend.execute(count("k")));
      assertEquals("rediss://localhost:" + port + "/0", backend.info().endpoint());
    }
  }

  @Test
  @DisplayName("B16, B18: an unknown certificate is refused, and the error names it as the reason")
  void anUnknownCertificateIsRefused() {
    refused(uri("localhost"), "certification path");
  }

  @Test
  @DisplayName(
      "B16, B18: a certificate for another name is refused, and the error names it as the reason")
  void aCertificateForAnotherNameIsRefused() {
    trustTheServer();
    refused(uri("127.0.0.1"), "subject alternative names");
  }

  @Test
  @DisplayName("B16: a plain connection to a TLS port, and the reverse, fail with a hint at TLS")
  void plainAndTlsDoNotMix() {
    refused(URI.create("redis://127.0.0.1:" + port), "TLS");
    refused(URI.create("rediss://:hush@127.0.0.1:" + server.port()), "TLS");
  }

  private static void refused(URI uri, String reason) {
    BackendException e = failure(() -> Fixture.open(uri));
    assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    assertTrue(message(e).contains(reason), e.getMessage());
    assertFalse(message(e).contains("hush"), e.getMessage());
  }
}
