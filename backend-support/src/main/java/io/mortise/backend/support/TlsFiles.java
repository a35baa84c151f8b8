package io.mortise.backend.support;

import io.mortise.spi.BackendConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a backend that uses TLS: those that it trusts, and its own for servers that
 * ask for one. Properties name their files. Without properties, the JVM's trust store says which
 * certificates are trusted, and there is no own one.
 *
 * <p>Each connection looks whether a file has changed, and then it is read again. So a file can be
 * replaced while the application runs, and a new connection uses the new certificate. Thread-safe.
 */
public final class TlsFiles {
  private static final String CA = "tls.ca";
  private static final String CERT = "tls.cert";
  private static final String KEY = "tls.key";
  private static final String TRUST_STORE = "tls.truststore";
  private static final String KEY_STORE = "tls.keystore";
  private static final String PASSWORD = ".password";

  private static final Set<String> PROPERTIES =
      Set.of(CA, CERT, KEY, TRUST_STORE, TRUST_STORE + PASSWORD, KEY_STORE, KEY_STORE + PASSWORD);

  private final Map<String, String> properties;
  private final MadeOfFiles<TrustManagerFactory> trusted;
  private final MadeOfFiles<KeyManagerFactory> own;

  private TlsFiles(Map<String, String> properties) {
    this.properties = properties;
    trusted = new MadeOfFiles<>(files(CA, TRUST_STORE), this::readTrusted);
    own = new MadeOfFiles<>(files(CERT, KEY, KEY_STORE), this::readOwn);
  }

  private List<String> files(String... names) {
    return Stream.of(names).filter(this::has).map(properties::get).toList();
  }

  /**
   * Checks the properties of a URI, and reads their files once. So an unfit file is an error when a
   * backend opens.
   *
   * @param config the properties, and a URI whose scheme begins with {@code rediss} for TLS
   * @param others the further properties that the provider understands for this URI
   * @return the files
   * @throws IllegalArgumentException a property does not fit the URI, or a file cannot be used; the
   *     message shows paths, and no password
   */
  public static TlsFiles of(BackendConfig config, Set<String> others) {
    boolean usesTls =
        config.uri().getScheme().toLowerCase(Locale.ROOT).matches("(redis|valkey)s(-.*)?");
    Set<String> known = new TreeSet<>(others);
    known.addAll(usesTls ? PROPERTIES : Set.of());
    for (String name : config.properties().keySet()) {
      if (PROPERTIES.contains(name) && !usesTls) {
        throw new IllegalArgumentException(
            "property '%s' is for TLS, and %s is a URI without; write rediss in place of redis, or valkeys in place of valkey"
                .formatted(name, config.endpoint()));
      }
    }
    config.requireOnly(known);
    TlsFiles files = new TlsFiles(config.properties());
    files.requireWhole();
    if (usesTls) {
      SSLContext unused = files.context();
    }
    return files;
  }

  private void requireWhole() {
    together(CERT, KEY);
    together(KEY_STORE, KEY_STORE + PASSWORD);
    together(TRUST_STORE, TRUST_STORE + PASSWORD);
    apart(CERT, KEY_STORE);
    apart(CA, TRUST_STORE);
  }

  private void together(String one, String other) {
    if (has(one) != has(other)) {
      String present = has(one) ? one : other;
      String missing = has(one) ? other : one;
      throw new IllegalArgumentException(
          "property '%s' needs '%s' beside it".formatted(present, missing));
    }
  }

  private void apart(String one, String other) {
    if (has(one) && has(other)) {
      throw new IllegalArgumentException(
          "properties '%s' and '%s' say the same in two ways; leave one out".formatted(one, other));
    }
  }

  private boolean has(String property) {
    return properties.containsKey(property);
  }

  /**
   * Both kinds of certificates, for a client that takes them so.
   *
   * @return made of the files as they are now
   * @throws IllegalArgumentException a file cannot be used
   */
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own().getKeyManagers(), trusted().getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no TLS", e);
    }
  }

  /**
   * The certificates that are trusted.
   *
   * @return those of the JVM, unless a property names others; made of the file as it is now
   * @throws IllegalArgumentException the file cannot be used
   */
  public TrustManagerFactory trusted() {
    return has(CA) || has(TRUST_STORE) ? trusted.get() : readTrusted();
  }

  private TrustManagerFactory readTrusted() {
    try {
      TrustManagerFactory read =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      read.init(trustStore());
      return read;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the trusted certificates cannot be used", e);
    }
  }

  private @Nullable KeyStore trustStore() {
    if (has(TRUST_STORE)) {
      return reading(
          TRUST_STORE,
          file -> {
            KeyStore store = pkcs12(file, TRUST_STORE);
            for (String alias : Collections.list(store.aliases())) {
              if (store.isCertificateEntry(alias)) {
                return store;
              }
            }
            throw new KeyStoreException(
                "it has no trusted certificate; add one with 'keytool -import'");
          });
    }
    return has(CA) ? reading(CA, TlsFiles::authorities) : null;
  }

  private static KeyStore authorities(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = emptyStore();
    for (Certificate each : Pem.certificates(file)) {
      store.setCertificateEntry(String.valueOf(store.size()), each);
    }
    return store;
  }

  /**
   * The backend's own certificate, with its key.
   *
   * @return without a certificate, unless a property names one; made of the file as it is now
   * @throws IllegalArgumentException the file cannot be used
   */
  public KeyManagerFactory own() {
    return own.get();
  }

  private KeyManagerFactory readOwn() {
    try {
      KeyManagerFactory read =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      read.init(keyStore(), password(KEY_STORE));
      return read;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("the certificate cannot be used", e);
    }
  }

  private KeyStore keyStore() throws IOException, GeneralSecurityException {
    if (has(KEY_STORE)) {
      return reading(
          KEY_STORE,
          file -> {
            KeyStore store = pkcs12(file, KEY_STORE);
            for (String alias : Collections.list(store.aliases())) {
              if (store.getKey(alias, password(KEY_STORE)) != null) {
                return store;
              }
            }
            throw new KeyStoreException("it has no certificate with its key");
          });
    }
    KeyStore store = emptyStore();
    if (has(CERT)) {
      Certificate[] chain = reading(CERT, Pem::certificates);
      PrivateKey key = reading(KEY, file -> requireFit(Pem.key(file), chain[0]));
      store.setKeyEntry("own", key, password(KEY_STORE), chain);
    }
    return store;
  }

  private static PrivateKey requireFit(PrivateKey key, Certificate certificate)
      throws GeneralSecurityException {
    String algorithm = key.getAlgorithm();
    if (!certificate.getPublicKey().getAlgorithm().equals(algorithm)
        || !fits(key, certificate, algorithm.replaceFirst("^EC$", "ECDSA"))) {
      throw new KeyException("it is not the key of the certificate in '" + CERT + "'");
    }
    return key;
  }

  private static boolean fits(PrivateKey key, Certificate certificate, String algorithm)
      throws GeneralSecurityException {
    Signature signature =
        Signature.getInstance(algorithm.equals("EdDSA") ? algorithm : "SHA256with" + algorithm);
    signature.initSign(key);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    return signature.verify(signed);
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private KeyStore pkcs12(Path file, String property) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, password(property));
    }
    return store;
  }

  /** The password of a store. Certificates from PEM files have an empty one in memory. */
  private char[] password(String property) {
    return properties.getOrDefault(property + PASSWORD, "").toCharArray();
  }

  private interface Reader<T> {
    T read(Path file) throws IOException, GeneralSecurityException;
  }

  private <T> T reading(String property, Reader<T> reader) {
    String file = properties.getOrDefault(property, "");
    try {
      return reader.read(Path.of(file));
    } catch (IOException | GeneralSecurityException e) {
      String advice = has(property + PASSWORD) ? "; check '" + property + PASSWORD + "'" : "";
      throw new IllegalArgumentException(
          "property '%s': %s cannot be used: %s%s".formatted(property, file, reason(e), advice), e);
    }
  }

  private static String reason(Exception e) {
    return e instanceof NoSuchFileException
        ? "there is no such file"
        : String.valueOf(e.getMessage());
  }

  @Override
  public String toString() {
    return "TlsFiles[" + new TreeSet<>(properties.keySet()) + ']';
  }
}
