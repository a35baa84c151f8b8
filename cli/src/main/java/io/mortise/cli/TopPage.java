package io.mortise.cli;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.mortise.LockException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of {@code top --web}. It serves three files and one stream of events, and takes no
 * input. One thread looks into the store, as long as a browser listens.
 */
final class TopPage implements AutoCloseable {
  private static final int MOST_BROWSERS = 32;
  private static final Map<String, String> FILES =
      Map.of(
          "/", "text/html; charset=utf-8",
          "/top.js", "text/javascript; charset=utf-8",
          "/top.css", "text/css; charset=utf-8");

  /** Nothing runs and nothing is asked for but what this server has. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

  private static final Pattern OWN_HOST =
      Pattern.compile(
          "(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d+)?", Pattern.CASE_INSENSITIVE);

  private final HttpServer server;
  private final Sightings sightings;
  private final Duration every;
  private final AtomicInteger browsers = new AtomicInteger();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "mortise-top-page");
        thread.setDaemon(true);
        return thread;
      });
  private final Thread looker = new Thread(this::look, "mortise-top-looker");
  private String latest = "";
  private long number;

  /**
   * Where the page is.
   *
   * @param host the address to bind
   * @param port the port; 0 is any free one
   */
  record Place(String host, int port) {
    private static final Pattern FORM =
        Pattern.compile("(?:(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+):)?(\\d{1,5})");

    static Place of(String text) {
      Matcher parts = FORM.matcher(text);
      if (!parts.matches() || Integer.parseInt(parts.group(2)) > 65_535) {
        throw Failure.badArgument("--web %s must read [ADDRESS:]PORT, as 8700".formatted(text));
      }
      String host = parts.group(1);
      return new Place(host == null ? "127.0.0.1" : host, Integer.parseInt(parts.group(2)));
    }
  }

  private TopPage(HttpServer server, Sightings sightings, Duration every) {
    this.server = server;
    this.sightings = sightings;
    this.every = every;
  }

  /**
   * Opens the page.
   *
   * @throws IOException the port is in use, or the address is not this machine's
   */
  static TopPage open(Place place, Sightings sightings, Duration every) throws IOException {
    InetAddress address = InetAddress.getByName(place.host());
    HttpServer server = HttpServer.create(new InetSocketAddress(address, place.port()), 0);
    TopPage page = new TopPage(server, sightings, every);
    server.createContext("/", page::answer);
    server.setExecutor(page.threads);
    server.start();
    page.looker.setDaemon(true);
    page.looker.start();
    return page;
  }

  String url() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress();
    return "http://%s:%d/"
        .formatted(host.contains(":") ? '[' + host + ']' : host, address.getPort());
  }

  /** Waits until the page is closed. */
  void join() throws InterruptedException {
    looker.join();
  }

  @Override
  public void close() {
    looker.interrupt();
    server.stop(0);
    threads.shutdownNow();
  }

  private void look() {
    try {
      while (true) {
        awaitBrowser();
        long start = System.nanoTime();
        tell(answer());
        long took = System.nanoTime() - start;
        TimeUnit.NANOSECONDS.sleep(Math.max(every.toNanos() - took, took));
      }
    } catch (InterruptedException e) {
      // The page is closed.
    }
  }

  private String answer() {
    try {
      List<Sighting> seen = sightings.look();
      return Json.of(
          Json.object(
              "locks",
              seen.stream().map(Sighting::object).toList(),
              "full",
              seen.size() == sightings.limit()));
    } catch (LockException e) {
      return Json.of(Json.object("error", Text.visible(String.valueOf(e.getMessage()))));
    }
  }

  private synchronized void awaitBrowser() throws InterruptedException {
    while (browsers.get() == 0) {
      wait();
    }
  }

  private synchronized void tell(String event) {
    latest = event;
    number++;
    notifyAll();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Headers headers = exchange.getResponseHeaders();
      headers.set("Content-Security-Policy", POLICY);
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Cache-Control", "no-store");
      String path = exchange.getRequestURI().getPath();
      if (!isForThisHost(exchange)) {
        exchange.sendResponseHeaders(403, -1);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        headers.set("Allow", "GET");
        exchange.sendResponseHeaders(405, -1);
      } else if (path.equals("/events")) {
        stream(exchange);
      } else if (FILES.containsKey(path)) {
        headers.set("Content-Type", FILES.get(path));
        byte[] file = file(path.equals("/") ? "/top.html" : path);
        exchange.sendResponseHeaders(200, file.length);
        exchange.getResponseBody().write(file);
      } else {
        exchange.sendResponseHeaders(404, -1);
      }
    }
  }

  /** Another site's name may lead to this address, so that its scripts could read the page. */
  private boolean isForThisHost(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    return !server.getAddress().getAddress().isLoopbackAddress()
        || (host != null && OWN_HOST.matcher(host).matches());
  }

  private static byte[] file(String path) throws IOException {
    try (InputStream file = TopPage.class.getResourceAsStream(path.substring(1))) {
      if (file == null) {
        throw new IllegalStateException(path + " is missing from the jar");
      }
      return file.readAllBytes();
    }
  }

  private void stream(HttpExchange exchange) throws IOException {
    if (browsers.incrementAndGet() > MOST_BROWSERS) {
      browsers.decrementAndGet();
      exchange.sendResponseHeaders(503, -1);
      return;
    }
    try {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      long last = wakeLooker();
      while (true) {
        Event event = next(last);
        out.write(("data: " + event.data() + "\n\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
        last = event.number();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      browsers.decrementAndGet();
    }
  }

  /** What was seen, with its number. */
  private record Event(String data, long number) {}

  private synchronized long wakeLooker() {
    notifyAll();
    return number;
  }

  private synchronized Event next(long last) throws InterruptedException {
    while (number == last) {
      wait();
    }
    return new Event(latest, number);
  }
}
