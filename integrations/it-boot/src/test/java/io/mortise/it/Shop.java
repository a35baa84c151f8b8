package io.mortise.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application in this process: a context with its own web server and its own lock service. */
final class Shop implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  final ConfigurableApplicationContext context;
  private final String address;

  private Shop(ConfigurableApplicationContext context) {
    this.context = context;
    address = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
  }

  /** Starts it on a free port. */
  static Shop start(String... properties) {
    return start(new Class<?>[] {ShopApplication.class}, properties);
  }

  static Shop start(Class<?>[] sources, String... properties) {
    String[] arguments = arguments(properties).toArray(String[]::new);
    return new Shop(new SpringApplication(sources).run(arguments));
  }

  /** Starts it without a web server, where that is enough. */
  static Shop startWithoutWeb(Class<?>[] sources, String... properties) {
    String[] all = Arrays.copyOf(properties, properties.length + 1);
    all[properties.length] = "spring.main.web-application-type=none";
    return start(sources, all);
  }

  /** The arguments of the application with these properties. */
  static List<String> arguments(String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--spring.jmx.enabled=false",
                "--logging.level.root=warn"));
    Arrays.stream(properties).map(each -> "--" + each).forEach(arguments::add);
    return arguments;
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** The body of a page. */
  String get(String path) throws IOException, InterruptedException {
    return response(path).body();
  }

  HttpResponse<String> response(String path) throws IOException, InterruptedException {
    return response("GET", address + path);
  }

  HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return response("DELETE", address + path);
  }

  static HttpResponse<String> response(String method, String address)
      throws IOException, InterruptedException {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(address))
            .timeout(Duration.ofMinutes(2)) // a request that waits for ever names nobody
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofString());
  }

  @Override
  public void close() {
    context.close();
  }
}
