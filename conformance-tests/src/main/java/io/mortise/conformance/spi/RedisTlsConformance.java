package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TestAuthority.Signed;
import io.mortise.conformance.spi.TlsServers.Kind;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * TLS with certificates on both sides: to a single server, to the nodes of a cluster, and to
 * sentinels and the master that they name.
 *
 * <pre>{@code
 * class JedisTlsConformanceTest extends RedisTlsConformance {
 *   @Override protected LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class RedisTlsConformance implements BackendUnderTest {
  private static final String CA = "tls.ca";
  private static final String CERT = "tls.cert";
  private static final String KEY = "tls.key";

  /**
   * What every message has about a client certificate that is missing or not trusted. With TLS 1.3
   * a server may end the connection before the client can read why.
   */
  private static final String WANTED =
      "wants a client certificate that it trusts: tls.cert and tls.key, or tls.keystore";

  private final List<AutoCloseable> opened = new ArrayList<>();
  private TlsServers servers;
  private TestAuthority stranger;

  /** For the subclass of a backend's author. */
  protected RedisTlsConformance() {}

  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name() + "-tls";
  }

  @BeforeAll
  void startServers() {
    stranger = TestAuthority.create();
    servers = new TlsServers();
  }

  @AfterAll
  void endServers() {
    if (servers != null) {
      servers.close();
      stranger.close();
    }
  }

  @AfterEach
  void closeBackends() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
  }

  private LockBackend open(URI uri, Map<String, String> properties) {
    Duration timeout = Duration.ofSeconds(5);
    LockBackend backend =
        provider().open(new BackendConfig(uri, timeout, "mortise-kit", properties));
    opened.add(backend);
    return backend;
  }

  private String refused(URI uri, Map<String, String> properties) {
    BackendException refusal = assertThrows(BackendException.class, () -> open(uri, properties));
    assertEquals(Outcome.NOT_EXECUTED, refusal.outcome(), refusal::toString);
    return String.valueOf(refusal.getMessage());
  }

  private static void assertSays(String message, String... parts) {
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "'" + part + "' is missing: " + message);
    }
  }

  private static void assertWorks(LockBackend backend) {
    assertEquals(List.of("x"), backend.execute(Duties.echo("x")));
    Recorder recorder = new Recorder();
    backend.subscribe("kit:tls", recorder);
    recorder.awaitSigns("+");
    Duties.publish(backend, "kit:tls", "hello");
    recorder.awaitMessage("hello");
  }

  private URI localhost(Kind kind) {
    return servers.uri(kind, "localhost");
  }

  private Map<String, String> pem() {
    return pem(servers.client);
  }

  private Map<String, String> pem(Signed own) {
    String ca = servers.authority.certificate().toString();
    return Map.of(CA, ca, CERT, own.certificate().toString(), KEY, own.key().toString());
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B16")
  @DisplayName("B16: authority, certificate and key from PEM files open servers that ask for them")
  void certificatesFromPemFiles(Kind kind) {
    assertWorks(open(localhost(kind), pem()));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B16")
  @DisplayName("B16: authority, certificate and key from PKCS#12 files do the same")
  void certificatesFromStores(Kind kind) {
    assertWorks(
        open(
            localhost(kind),
            Map.of(
                "tls.truststore",
                servers.authority.trustStore().toString(),
                "tls.truststore.password",
                TestAuthority.PASSWORD,
                "tls.keystore",
                servers.client.store().toString(),
                "tls.keystore.password",
                TestAuthority.PASSWORD)));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "L18"})
  @DisplayName("L18: without a client certificate, the message says that it is the one missing")
  void withoutAClientCertificate(Kind kind) {
    String ca = servers.authority.certificate().toString();
    assertSays(refused(localhost(kind), Map.of(CA, ca)), WANTED);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "L18"})
  @DisplayName("L18: a client certificate that the server does not trust is said to be one")
  void aClientCertificateOfAStranger(Kind kind) {
    Signed own = stranger.sign("client-" + kind, "DNS:client");
    assertSays(refused(localhost(kind), pem(own)), WANTED);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "L18"})
  @DisplayName("L18: a server whose certificate is not trusted is refused, with what to set")
  void anotherAuthority(Kind kind) {
    Map<String, String> properties =
        Map.of(
            CA,
            stranger.certificate().toString(),
            CERT,
            servers.client.certificate().toString(),
            KEY,
            servers.client.key().toString());
    assertSays(refused(localhost(kind), properties), "is not trusted: see tls.ca, tls.truststore");
    assertSays(refused(localhost(kind), Map.of()), "is not trusted: see tls.ca, tls.truststore");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "L18"})
  @DisplayName("L18: a server whose certificate names another host is refused, and told so")
  void anotherHost(Kind kind) {
    assertSays(refused(servers.uri(kind, "127.0.0.1"), pem()), "must name the host", "127.0.0.1");
  }

  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: a master that sentinels name by another name than its certificate is refused")
  void aMasterByAnotherName() {
    assertSays(refused(servers.byAddress(), pem()), "must name the host", "127.0.0.1");
  }

  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: nodes that their cluster names by another name than their certificate")
  void nodesByAnotherName() {
    nameNodesBy("ip");
    try {
      LockBackend backend = open(localhost(Kind.CLUSTER), pem());
      BackendUnavailableException refusal =
          assertThrows(
              BackendUnavailableException.class,
              () -> LockService.builder().sharedBackend(backend).open());
      assertSays(refusal.toString(), "must name the host", "127.0.0.1");
    } finally {
      nameNodesBy("hostname");
    }
  }

  private void nameNodesBy(String type) {
    for (RedisServer node : servers.cluster.nodes()) {
      node.command("CONFIG", "SET", "cluster-preferred-endpoint-type", type);
    }
  }

  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: certificates that are no longer valid are refused, the server's and one's own")
  void expiredCertificates() {
    Signed server = servers.authority.signExpired("expired-server", "DNS:localhost");
    List<String> arguments = servers.authority.arguments(server, true);
    try (RedisServer expired =
        RedisServer.builder().arguments(arguments.toArray(String[]::new)).start()) {
      assertTrue(expired.isRunning());
      URI uri = URI.create("rediss://localhost:" + TlsServers.port(arguments));
      assertSays(refused(uri, pem()), "the server's certificate is not valid now");
    }
    Signed own = servers.authority.signExpired("expired-client", "DNS:client");
    assertSays(refused(localhost(Kind.SINGLE), pem(own)), WANTED);
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a certificate can be replaced: each connection reads the files as they are")
  void aReplacedCertificate() throws IOException {
    Signed own = servers.authority.sign("replaced", "DNS:client");
    Signed next = stranger.sign("next", "DNS:client");
    LockBackend backend = open(localhost(Kind.SINGLE), pem(own));
    trustClientsOf(stranger);
    try {
      Files.copy(next.certificate(), own.certificate(), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(next.key(), own.key(), StandardCopyOption.REPLACE_EXISTING);
      servers.single.command("CLIENT", "KILL", "TYPE", "normal");
      Await.until("a new connection has the new certificate", () -> works(backend));
    } finally {
      trustClientsOf(servers.authority);
    }
  }

  private void trustClientsOf(TestAuthority authority) {
    String file = authority.certificate().toString();
    servers.single.command("CONFIG", "SET", "tls-ca-cert-file", file);
  }

  private static boolean works(LockBackend backend) {
    try {
      backend.execute(Duties.echo("x"));
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: properties that do not fit the URI, or each other, are refused by name")
  void unfitProperties() throws IOException {
    URI uri = localhost(Kind.SINGLE);
    String secret = "s3cret-Wort";
    Map<String, String> pem = pem();
    unfit(pem, secret)
        .forEach((properties, part) -> {
          String message = malformed(uri, properties);
          assertSays(message, part);
          assertFalse(message.contains(secret), message);
        });
    for (String scheme : List.of("redis", "redis-cluster")) {
      assertSays(
          malformed(URI.create(scheme + "://localhost"), Map.of(CA, pem.get(CA))),
          "'tls.ca' is for TLS",
          "write rediss in place of redis");
    }
  }

  /** Properties that are refused, and what is said about them. */
  private Map<Map<String, String>, String> unfit(Map<String, String> pem, String secret)
      throws IOException {
    Path nobody = Path.of("no-such-file.pem");
    Path empty = Files.createFile(servers.client.key().resolveSibling("empty"));
    return Map.ofEntries(
        Map.entry(Map.of("tls.cafile", secret), "'tls.cafile' is not known"),
        Map.entry(Map.of("sentinel.password", secret), "'sentinel.password' is not known"),
        Map.entry(Map.of(CERT, pem.get(CERT)), "'tls.cert' needs 'tls.key' beside it"),
        Map.entry(Map.of(KEY, pem.get(KEY)), "'tls.key' needs 'tls.cert' beside it"),
        Map.entry(Map.of(CA, nobody.toString()), "there is no such file"),
        Map.entry(Map.of(CA, empty.toString()), "it has no certificate"),
        Map.entry(Map.of(CA, pem.get(KEY)), "'tls.ca': " + pem.get(KEY)),
        Map.entry(Map.of(CERT, pem.get(CERT), KEY, pem.get(CERT)), "it has no 'BEGIN PRIVATE KEY'"),
        Map.entry(
            Map.of(CERT, pem.get(CERT), KEY, otherKey()),
            "it is not the key of the certificate in 'tls.cert'"),
        Map.entry(
            Map.of("tls.truststore", pem.get(CA), CA, pem.get(CA), "tls.truststore.password", ""),
            "'tls.ca' and 'tls.truststore' say the same"),
        Map.entry(
            Map.of("tls.keystore", servers.client.store().toString()),
            "'tls.keystore' needs 'tls.keystore.password' beside it"),
        Map.entry(store("tls.keystore", secret), "check 'tls.keystore.password'"),
        Map.entry(store("tls.truststore", secret), "check 'tls.truststore.password'"),
        Map.entry(
            store("tls.truststore", TestAuthority.PASSWORD), "it has no trusted certificate"));
  }

  private String otherKey() {
    return servers.authority.sign("other", "DNS:other").key().toString();
  }

  /** The client's certificate and key, under any property. */
  private Map<String, String> store(String property, String password) {
    return Map.of(property, servers.client.store().toString(), property + ".password", password);
  }

  private String malformed(URI uri, Map<String, String> properties) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> open(uri, properties));
    return String.valueOf(refusal.getMessage());
  }
}
