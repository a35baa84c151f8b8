package io.mortise.jmh.drive;

import io.mortise.conformance.redis.RespConnection;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sums of the figures that Redis servers report, each over a separate connection. */
final class ServerFigures implements AutoCloseable {
  private static final Pattern SCRIPTS =
      Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+),usec=(\\d+)");

  private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([\\d.]+)");

  private final List<RespConnection> connections = new ArrayList<>();

  ServerFigures(URI server) throws IOException {
    this(List.of(server));
  }

  ServerFigures(List<URI> servers) throws IOException {
    try {
      for (URI server : servers) {
        Duration timeout = Duration.ofSeconds(10);
        connections.add(new RespConnection(server.getHost(), server.getPort(), timeout));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private String info(String section) throws IOException {
    StringBuilder all = new StringBuilder();
    for (RespConnection each : connections) {
      all.append(each.call("INFO", section));
    }
    return all.toString();
  }

  /** The number of scripts that ran, and their time. */
  record Scripts(long calls, long micros) {}

  Scripts scripts() throws IOException {
    long calls = 0;
    long micros = 0;
    Matcher matcher = SCRIPTS.matcher(info("commandstats"));
    while (matcher.find()) {
      calls += Long.parseLong(matcher.group(1));
      micros += Long.parseLong(matcher.group(2));
    }
    return new Scripts(calls, micros);
  }

  /** The server's processor time in microseconds. */
  double processorMicros() throws IOException {
    return PROCESSOR
        .matcher(info("cpu"))
        .results()
        .mapToDouble(part -> Double.parseDouble(part.group(1)) * 1e6)
        .sum();
  }

  /** The number of client connections, without those of this object. */
  long connections() throws IOException {
    long count = 0;
    for (RespConnection each : connections) {
      count += String.valueOf(each.call("CLIENT", "LIST")).strip().lines().count() - 1;
    }
    return count;
  }

  long keys() throws IOException {
    long count = 0;
    for (RespConnection each : connections) {
      count += each.call("DBSIZE") instanceof Long size ? size : 0;
    }
    return count;
  }

  void clear() throws IOException {
    for (RespConnection each : connections) {
      each.call("FLUSHALL");
    }
  }

  @Override
  public void close() {
    connections.forEach(RespConnection::close);
  }
}
