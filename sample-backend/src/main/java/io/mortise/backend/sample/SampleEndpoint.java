package io.mortise.backend.sample;

import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.Credentials;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The address of a server, and the way to connect to it. */
record SampleEndpoint(RedisAddress address, String clientName, Duration timeout) {
  RespConnection connect(Duration within) throws IOException {
    return connect(within, made -> {});
  }

  /**
   * Hands the connection over before it waits for the server, so that another thread can end it.
   */
  RespConnection connect(Duration within, Consumer<RespConnection> made) throws IOException {
    RespConnection connection = new RespConnection(address.host(), address.port(), within);
    made.accept(connection);
    try {
      Credentials own = address.credentials();
      if (own != null) {
        String user = own.user() == null ? "default" : own.user();
        connection.call("AUTH", user, own.password());
      }
      connection.call("CLIENT", "SETNAME", clientName);
      connection.call("SELECT", String.valueOf(address.database()));
      return connection;
    } catch (RespException e) {
      connection.close();
      throw new IOException(e.getMessage(), e);
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  /** Connects once, to check that locks are safe on the server. */
  BackendInfo check() {
    try (RespConnection connection = connect(timeout)) {
      Map<String, Object> hello = new HashMap<>();
      if (connection.call("HELLO") instanceof List<?> facts) {
        for (int i = 0; i < facts.size(); i += 2) {
          hello.put(String.valueOf(facts.get(i)), String.valueOf(facts.get(i + 1)));
        }
      }
      return RedisServers.usable(address.toString(), hello);
    } catch (IOException | RuntimeException e) {
      throw RedisServers.refusal(address.toString(), e);
    }
  }
}
