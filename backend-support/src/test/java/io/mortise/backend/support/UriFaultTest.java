package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.cluster.ClusterAddress;
import io.mortise.backend.support.sentinel.SentinelAddress;
import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The message for a URI with one fault says which part it is in. */
class UriFaultTest {
  private static Object read(URI uri) {
    if (SentinelAddress.isMeantBy(uri)) {
      return SentinelAddress.of(uri);
    }
    return uri.getScheme().endsWith("-cluster") ? ClusterAddress.of(uri) : RedisAddress.of(uri);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis:u:s3cr3t@host | no // after the scheme",
        "redis://u:1/s3cr3t@host | a raw /; write %2F",
        "redis-sentinel://u:1#s3cr3t@host | a raw #; write %23",
        "redis-cluster://u:1?s3cr3t@host | a raw ?; write %3F",
        "rediss://u:1@s3cr3t@host | a raw @; write %40",
        "redis://s3cr3t@host | no : before the @",
        "redis://user:@host | the password is empty",
        "redis://u:s3cr3t@a,b | needs the scheme redis-cluster or redis-sentinel",
        "redis://u:s3cr3t@a:1,b:2 | needs the scheme redis-cluster or redis-sentinel",
        "redis://u:s3cr3t@ | a host is missing",
        "redis-cluster://u:s3cr3t@a,,b | a host is missing",
        "redis-sentinel://u:s3cr3t@a:1,b:0#m | a port is no number in 1 to 65535",
        "redis://user:s3cr3t | a port is no number in 1 to 65535",
        "redis://u:s3cr3t@a:65536 | a port is no number in 1 to 65535",
        "redis://u:s3cr3t@a/s3cr3t | the path, after the host, is no number",
        "redis://a/0?password=s3cr3t | no parameters may follow after ?",
        "redis-cluster://a?password=s3cr3t | no parameters may follow after ?",
        "redis-sentinel://a?password=s3cr3t#m | only sentinelMasterId=name may follow",
        "redis://a#s3cr3t | only a URI of sentinels has a #",
        "redis-sentinel://a#u:s3cr3t | the name of the master, after #,",
      })
  void itNamesThePart(String uri, String part) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> read(URI.create(uri)));

    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(part), message);
    assertTrue(message.contains("the URI must read redis[s]"), message);
    assertFalse(message.contains("s3cr3t"), message);
  }
}
