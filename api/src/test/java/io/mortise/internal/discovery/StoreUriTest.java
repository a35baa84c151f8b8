package io.mortise.internal.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.CredentialSuppliers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A URI without a scheme is refused, and the message has the corrected URI. */
class StoreUriTest {
  private static String refusal(String text) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                InstalledProviders.open(
                    StoreUri.parse(text),
                    null,
                    Duration.ofSeconds(1),
                    Map.of(),
                    CredentialSuppliers.NONE));
    return String.valueOf(e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:26000, redis://localhost:26000",
    "localhost:26000/3, redis://localhost:26000/3",
    "127.0.0.1:6379, redis://127.0.0.1:6379",
    "my_host:6379, redis://my_host:6379",
    "[::1]:6379, redis://[::1]:6379",
    "//redis.example.org:6379, redis://redis.example.org:6379",
  })
  void aPlaceWithoutASchemeGetsTheUriToWrite(String text, String uri) {
    String message = refusal(text);

    assertTrue(message.startsWith("'" + text + "' has no scheme; write " + uri + ","), message);
    assertTrue(message.contains(uri.replace("redis://", "rediss://") + " for TLS"), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x.redis.cache.windows.net:6380,password=s3cret=,ssl=True,abortConnect=False | write rediss://:password@x.redis.cache.windows.net:6380
          x.redis.azure.net:10000, ssl=true, password=s3cret | write rediss://:password@x.redis.azure.net:10000
          10.0.0.1:6379,10.0.0.2:6379,password=s3cret | write redis://:password@10.0.0.1:6379
          my_host,password=redis://s3cret | write redis://:password@my_host
          REDIS_URL=rediss://default:s3cret@h:25061 | give only what begins with rediss://
          redis-cli --tls -u redis://default:s3cret@h:6379 | give only what begins with redis://
          "valkeys-cluster://:s3cret@h" | give only what begins with valkeys-cluster://
          """)
  void whatServicesShowIsRefusedWithWhatToWrite(String text, String step) {
    String message = refusal(text);

    assertTrue(message.contains(step), message);
    assertFalse(message.contains("s3cret"), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis://:secret@host:6379\n", " memory:42 "})
  void whiteSpaceAroundIsLeftOut(String text) {
    assertEquals(text.strip(), StoreUri.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//:s3cret@localhost:6379",
        "s3cret@localhost:6379",
        "re dis://s3cret@h",
        "s3cret"
      })
  void whatMayHoldASecretIsNotRepeated(String text) {
    assertFalse(refusal(text).contains("s3cret"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-cluster://:s3cret@[::1]:7000,[::2]:7000",
        "redis-sentinel://[::1],[::2]:26379#m"
      })
  void severalIpv6AddressesAreRefusedAsSuch(String text) {
    String message = refusal(text);

    assertTrue(message.contains("several IPv6 addresses; write the names"), message);
    assertFalse(message.contains("s3cret"), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"redis://localhost:6379", "memory:42", "memory:a,b=c", "rediss://:sec=ret@host/1"})
  void whatHasASchemeIsRead(String text) {
    assertEquals(text, StoreUri.parse(text).toString());
  }
}
