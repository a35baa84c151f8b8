package io.mortise.jmh.drive;

import io.mortise.conformance.redis.RespConnection;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Figures that a Redis server reports, over a separate connection. */
final class ServerFigures implements AutoCloseable {
  private static final Pattern SCRIPTS =
      Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+),usec=(\\d+)");

  private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([\\d.]+)");

  private final RespConnection connection;

  ServerFigures(URI server) throws IOException {
    connection = new RespConnection(server.getHost(), server.getPort(), Duration.ofSeconds(10));
  }

  /** The number of scripts that ran, and their time. */
  record Scripts(long calls, long micros) {}

  Scripts scripts() throws IOException {
    long calls = 0;
    long micros = 0;
    Matcher matcher = SCRIPTS.matcher(String.valueOf(connection.call("INFO", "commandstats")));
    while (matcher.find()) {
      calls += Long.parseLong(matcher.group(1));
      micros += Long.parseLong(matcher.group(2));
    }
    return new Scripts(calls, micros);
  }

  /** The server's processor time in microseconds. */
  double processorMicros() throws IOException {
    return PROCESSOR
        .matcher(String.valueOf(connection.call("INFO", "cpu")))
        .results()
        .mapToDouble(part -> Double.parseDouble(part.group(1)) * 1e6)
        .sum();
  }

  /** The number of client connections, without this one. */
  long connections() throws IOException {
    return String.valueOf(connection.call("CLIENT", "LIST")).strip().lines().count() - 1;
  }

  long keys() throws IOException {
    return connection.call("DBSIZE") instanceof Long size ? size : 0;
  }

  void clear() throws IOException {
    connection.call("FLUSHALL");
  }

  @Override
  public void close() {
    connection.close();
  }
}
