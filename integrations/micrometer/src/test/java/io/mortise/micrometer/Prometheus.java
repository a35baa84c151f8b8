package io.mortise.micrometer;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Prometheus server of this machine, which asks its targets each second. */
final class Prometheus implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final int port;

  private Prometheus(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts the installed server, without what an earlier one has kept.
   *
   * @param targets host and port
   * @param folder for its data
   */
  static Prometheus start(List<String> targets, Path rules, Path folder) throws IOException {
    Path settings = folder.resolve("prometheus.yml");
    Files.writeString(
        settings,
        """
        global: {scrape_interval: 1s, evaluation_interval: 5s}
        rule_files: ['%s']
        scrape_configs:
          - job_name: mortise
            static_configs: [{targets: ['%s']}]
        """
            .formatted(rules.toAbsolutePath(), String.join("', '", targets)));
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + settings,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("prometheus.log").toFile())
            .start();
    return new Prometheus(process, port);
  }

  /**
   * The series of a query.
   *
   * @param from in seconds since 1970
   * @param to in seconds since 1970
   * @param step in seconds
   */
  JsonArray range(String query, long from, long to, int step)
      throws IOException, InterruptedException {
    String address =
        "http://127.0.0.1:%d/api/v1/query_range?start=%d&end=%d&step=%d&query=%s"
            .formatted(port, from, to, step, URLEncoder.encode(query, StandardCharsets.UTF_8));
    HttpResponse<String> reply =
        client.send(
            HttpRequest.newBuilder(URI.create(address)).build(),
            HttpResponse.BodyHandlers.ofString());
    JsonObject body = JsonParser.parseString(reply.body()).getAsJsonObject();
    if (reply.statusCode() != 200) {
      throw new IOException(query + ": " + body);
    }
    return body.getAsJsonObject("data").getAsJsonArray("result");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
