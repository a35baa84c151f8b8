package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.mortise.Lease;
import io.mortise.LockService;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page of {@code top --web}, by HTTP and in a real browser, on a store in memory. */
@Timeout(120)
class TopPageTest {
  private static final String EVIL =
      "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";

  private final LockService holder = LockService.open("memory:page");
  private final LockService waiter = LockService.open("memory:page");
  private final HttpClient http = HttpClient.newHttpClient();
  private TopPage page;

  @BeforeEach
  void open() throws IOException {
    Sightings sightings =
        new Sightings(
            LockService.open("memory:page"),
            new Sightings.Question("*", 1000, Sightings.Sort.WAITERS),
            System::nanoTime);
    page = TopPage.open(TopPage.Place.of("0"), sightings, Duration.ofMillis(200));
  }

  @AfterEach
  void close() {
    page.close();
    waiter.close();
    holder.close();
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(page.url()).resolve(path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, BodyHandlers.ofString());
  }

  /** The first event of the stream. */
  private JsonObject event() throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(page.url()).resolve("events")).build();
    var answer = http.send(request, BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      return JsonParser.parseString(line.substring("data: ".length())).getAsJsonObject();
    }
  }

  @Test
  void itServesItsFilesAndNothingElse() throws Exception {
    for (String path : List.of("/", "/top.js", "/top.css")) {
      HttpResponse<String> file = send("GET", path);
      assertEquals(200, file.statusCode(), path);
      assertTrue(
          file.headers()
              .firstValue("Content-Security-Policy")
              .orElse("")
              .startsWith("default-src 'none'"));
    }
    for (String path : List.of("/top.html", "/Main.class", "/events/x", "/%2e%2e/Main.class")) {
      assertEquals(404, send("GET", path).statusCode(), path);
    }
  }

  @Test
  void itTakesNoInput() throws Exception {
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      assertEquals(405, send(method, "/").statusCode(), method);
    }
  }

  @Test
  void theStreamHasHoldersAndWaiters() throws Exception {
    Lease lease = holder.getLock("busy").acquire();
    CompletableFuture<Lease> waiting = waiter.getLock("busy").async().acquire();
    while (holder.getLock("busy").getQueueLength() == 0) {
      Thread.onSpinWait();
    }
    JsonObject lock = event().getAsJsonArray("locks").get(0).getAsJsonObject();
    assertEquals("busy", lock.get("name").getAsString());
    assertEquals(1, lock.getAsJsonArray("waiters").size());
    lease.close();
    waiting.join().close();
    assertEquals(0, event().getAsJsonArray("locks").size());
  }

  @Test
  void itIsOnLoopbackAndAnswersNoOtherName() throws Exception {
    assertTrue(page.url().startsWith("http://127.0.0.1:"), page.url());
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(page.url()).getPort())) {
      socket
          .getOutputStream()
          .write(
              "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      var lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      assertEquals("HTTP/1.1 403 Forbidden", lines.readLine());
    }
  }

  @Test
  void aPortInUseIsOneLine() {
    String port = String.valueOf(URI.create(page.url()).getPort());
    Invocation second = Invocation.of("top", "--uri", "memory:page", "--web", port);
    assertEquals(2, second.exitCode());
    assertTrue(
        second.err().startsWith("mortise: --web " + port + ": Address already in use"),
        second.err());
  }

  @Test
  void anAddressIsTakenFromTheOption() {
    assertEquals(new TopPage.Place("127.0.0.1", 8700), TopPage.Place.of("8700"));
    assertEquals(new TopPage.Place("0.0.0.0", 1), TopPage.Place.of("0.0.0.0:1"));
    assertEquals(new TopPage.Place("[::1]", 8700), TopPage.Place.of("[::1]:8700"));
  }

  /** With {@code -Dmortise.picture=FILE} it also makes the picture for the README. */
  @Test
  @Tag("ci")
  void aBrowserShowsTheLocksLiveAndNamesAsText(@TempDir Path folder) throws Exception {
    assumeTrue(Chromium.program().isPresent(), "Chromium is not installed");
    Lease orders = holder.getLock("orders:42").acquire();
    holder.getFencedLock("nightly-backup").acquire();
    holder.getReadWriteLock("catalogue").readLock().acquire();
    holder.getSemaphore("exports", 3).acquire(2);
    CompletableFuture<Lease> waiting = waiter.getFairLock("orders:42").async().acquire();

    Path home = Files.createTempDirectory("mortise-browser-");
    try (Chromium browser = Chromium.open(home, page.url())) {
      browser.await("document.getElementById('state').textContent === '4 held, 1 waiting'");
      assertEquals(
          "orders:42", browser.value("document.querySelector('#locks button').textContent"));
      browser.value("document.querySelector('#locks button').click()");
      assertEquals("1", browser.value("document.querySelectorAll('.detail li').length"));
      double width =
          Double.parseDouble(
              browser.value("document.querySelector('.bar > div').getBoundingClientRect().width"));
      assertTrue(width > 20, "the bar of a lease that has just begun, in pixels: " + width);
      String picture = System.getProperty("mortise.picture");
      if (picture != null) {
        Files.write(Path.of(picture), browser.picture());
      }

      holder.getLock(EVIL).acquire();
      browser.await("document.querySelectorAll('#locks button').length === 5");
      assertEquals(
          "true",
          browser.value(
              "[...document.querySelectorAll('#locks button')].some(b => b.textContent === "
                  + Json.of(EVIL)
                  + ")"));
      assertEquals(
          "0", browser.value("document.querySelectorAll('#locks img, #locks script').length"));
      assertEquals("Mortise: locks", browser.value("document.title"));

      browser.value(
          "(document.getElementById('search').value = 'NIGHTLY',"
              + " document.getElementById('search').dispatchEvent(new Event('input')))");
      assertEquals("1", browser.value("document.querySelectorAll('#locks button').length"));
      browser.value(
          "(document.getElementById('search').value = '',"
              + " document.getElementById('search').dispatchEvent(new Event('input')))");

      orders.close();
      browser.await("document.getElementById('state').textContent === '5 held, 0 waiting'");
      String host = URI.create(page.url()).getAuthority();
      Set<String> asked =
          Set.of(
              browser
                  .value(
                      "[...new Set(performance.getEntriesByType('resource').map(e => new URL(e.name).host))]")
                  .split(",", -1));
      assertEquals(Set.of(host), asked);

      page.close();
      browser.await("document.getElementById('state').className === 'old'");
      assertNotEquals("0", browser.value("document.querySelectorAll('#locks button').length"));
    }
    waiting.join().close();
    assertFalse(holder.getLock("orders:42").isLocked());
  }
}
