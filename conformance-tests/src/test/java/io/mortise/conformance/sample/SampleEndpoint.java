package io.mortise.conformance.sample;

import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where the server is, and how to connect to it. */
record SampleEndpoint(BackendConfig config) {
  RespConnection connect(Duration timeout) throws IOException {
    URI uri = config.uri();
    RespConnection connection = new RespConnection(uri.getHost(), uri.getPort(), timeout);
    try {
      if (uri.getUserInfo() != null) {
        String[] user = uri.getUserInfo().split(":", 2);
        connection.call("AUTH", user[0].isEmpty() ? "default" : user[0], user[1]);
      }
      connection.call("CLIENT", "SETNAME", config.clientName());
      return connection;
    } catch (RespException e) {
      connection.close();
      throw new IOException(e.getMessage(), e);
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }

  /** Connects once, to learn what the server is, and refuses what this backend does not serve. */
  BackendInfo check() {
    try (RespConnection connection = connect(config.commandTimeout())) {
      String info = String.valueOf(connection.call("INFO"));
      if (info.contains("role:slave")) {
        throw refused("it is a replica; use the master", null);
      }
      if (info.contains("cluster_enabled:1")) {
        throw refused("it belongs to a cluster; use a single server", null);
      }
      String version = info.replaceFirst("(?s).*redis_version:(\\S+).*", "$1");
      return new BackendInfo(config.endpoint(), version, true, true);
    } catch (IOException e) {
      throw refused(String.valueOf(e.getMessage()), e);
    }
  }

  private BackendException refused(String why, @Nullable Throwable cause) {
    return new BackendException(Outcome.NOT_EXECUTED, config.endpoint() + ": " + why, cause);
  }
}
