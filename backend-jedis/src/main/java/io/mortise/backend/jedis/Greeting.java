package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import java.lang.module.ModuleDescriptor.Version;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** What a server tells about itself in reply to HELLO, which no ACL forbids. */
final class Greeting {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private Greeting() {}

  /** Facts about a server to work with; any other fails here. */
  static BackendInfo exchange(Calls calls, @Nullable String given) {
    String endpoint = given == null ? "the given Jedis client" : given;
    try (Connection connection = calls.borrow(System.nanoTime() + TIMEOUT_NANOS)) {
      endpoint = given == null ? address(connection) : given;
      connection.sendCommand(Command.HELLO);
      Map<String, Object> told = BuilderFactory.ENCODED_OBJECT_MAP.build(connection.getOne());
      String version = String.valueOf(told.get("version"));
      boolean old = Version.parse(version).compareTo(Version.parse("6.2")) < 0;
      if (old || !"standalone".equals(told.get("mode")) || !"master".equals(told.get("role"))) {
        throw new IllegalStateException("a single master of 6.2 or later is needed, it is " + told);
      }
      return new BackendInfo(endpoint, version, true, true);
    } catch (Exception e) {
      String next = "; check host, port, redis or rediss, user and password";
      String message = endpoint + " cannot be used: " + e.getMessage() + next;
      throw new BackendException(Outcome.NOT_EXECUTED, message, e);
    }
  }

  /** The innermost of {@code Connection{DefaultJedisSocketFactory{host:port}}}. */
  private static String address(Connection connection) {
    return connection.toString().replaceAll(".*\\{|}", "");
  }
}
