package io.mortise.backend.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys from PEM files. The messages show nothing of the content. */
final class Pem {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

  private Pem() {}

  /** All certificates of a file, at least one. */
  static Certificate[] certificates(Path file) throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      Certificate[] found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(in)
              .toArray(Certificate[]::new);
      if (found.length == 0) {
        throw new CertificateException("it has no certificate");
      }
      return found;
    }
  }

  /** The first private key of a file. It must be in the form of PKCS#8, without a password. */
  static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
    Matcher key = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!key.find()) {
      throw new KeyException(
          "it has no 'BEGIN PRIVATE KEY'; convert a key of another form with"
              + " 'openssl pkcs8 -topk8 -nocrypt'");
    }
    PKCS8EncodedKeySpec content = content(key.group(1));
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(content);
      } catch (InvalidKeySpecException e) {
        // It may be a key of the next algorithm.
      }
    }
    throw new KeyException("it has no key of " + String.join(", ", ALGORITHMS));
  }

  private static PKCS8EncodedKeySpec content(String base64) throws KeyException {
    try {
      return new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw new KeyException("its key is not base64"); // the cause would show characters of the key
    }
  }
}
