package io.mortise.conformance.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A certificate authority, made with openssl. It keeps all files in a folder of its own. */
public final class TestAuthority implements AutoCloseable {
  /** The password of all stores. */
  public static final String PASSWORD = "changeit-Wort";

  private static final int DAYS = 2;
  private static final String NEW_KEY =
      "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=";

  private final Path folder;

  private TestAuthority(Path folder) {
    this.folder = folder;
    run(NEW_KEY + "authority -x509 -days " + DAYS, "-keyout", path("ca.key"), "-out", path("ca"));
  }

  /**
   * A certificate that the authority has signed.
   *
   * @param certificate a PEM file
   * @param key its key, a PEM file
   * @param store both in one PKCS#12 file
   */
  public record Signed(Path certificate, Path key, Path store) {}

  /**
   * Makes an authority. The test that asks is skipped if this machine has no openssl.
   *
   * @return an authority that nobody trusts yet
   */
  public static TestAuthority create() {
    Assumptions.assumeTrue(isPossible(), "there is no openssl");
    try {
      return new TestAuthority(Files.createTempDirectory("mortise-tls"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Whether openssl exists to make certificates.
   *
   * @return whether {@link #create} works
   */
  static boolean isPossible() {
    try {
      return new ProcessBuilder("openssl", "version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The authority's own certificate.
   *
   * @return a PEM file
   */
  public Path certificate() {
    return folder.resolve("ca");
  }

  /**
   * Signs a certificate for two days.
   *
   * @param name the name of its files, used once
   * @param host what the certificate names, such as {@code DNS:localhost} or {@code IP:127.0.0.1}
   * @return a certificate that is valid now
   */
  public Signed sign(String name, String host) {
    return sign(name, host, DAYS);
  }

  /**
   * Signs a certificate that is no longer valid.
   *
   * @param name the name of its files, used once
   * @param host what the certificate names
   * @return a certificate that ended yesterday
   */
  public Signed signExpired(String name, String host) {
    return sign(name, host, -1);
  }

  private Signed sign(String name, String host, int days) {
    Signed signed =
        new Signed(
            folder.resolve(name), folder.resolve(name + ".key"), folder.resolve(name + ".p12"));
    String request = path(name + ".csr");
    String extensions = path(name + ".ext");
    String certificate = signed.certificate().toString();
    String key = signed.key().toString();
    try {
      Files.writeString(Path.of(extensions), "subjectAltName=" + host);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run(NEW_KEY + name, "-keyout", key, "-out", request);
    run(
        "openssl x509 -req -CAcreateserial -days " + days,
        "-in",
        request,
        "-CA",
        path("ca"),
        "-CAkey",
        path("ca.key"),
        "-extfile",
        extensions,
        "-out",
        certificate);
    run(
        "openssl pkcs12 -export -passout pass:" + PASSWORD,
        "-in",
        certificate,
        "-inkey",
        key,
        "-out",
        signed.store().toString());
    return signed;
  }

  /**
   * A trust store with the authority's certificate alone.
   *
   * @return a PKCS#12 file
   */
  public Path trustStore() {
    Path file = folder.resolve("trust.p12");
    try (InputStream in = Files.newInputStream(certificate());
        OutputStream out = Files.newOutputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
      store.store(out, PASSWORD.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    return file;
  }

  /**
   * The arguments of a server that also has a TLS port, which no other server has.
   *
   * @param server the server's certificate
   * @param asksClients whether clients must have a certificate of this authority
   * @return the words of a command line; the second one is the port
   */
  public List<String> arguments(Signed server, boolean asksClients) {
    return List.of(
        "--tls-port",
        String.valueOf(FreePort.next()),
        "--tls-cert-file",
        server.certificate().toString(),
        "--tls-key-file",
        server.key().toString(),
        "--tls-ca-cert-file",
        certificate().toString(),
        "--tls-auth-clients",
        asksClients ? "yes" : "no");
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static void run(String command, String... more) {
    List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
    words.addAll(List.of(more));
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(said);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("openssl does not run", e);
    }
  }

  /** Removes all files. */
  @Override
  public void close() {
    File[] files = folder.toFile().listFiles();
    for (File file : files == null ? new File[0] : files) {
      file.delete();
    }
    folder.toFile().delete();
  }
}
