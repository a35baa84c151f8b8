package io.mortise.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless browser with one page, driven over its DevTools protocol. Not thread-safe. */
final class Chromium implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;

  private final Process process;
  private final WebSocket socket;
  private final LinkedBlockingQueue<JsonObject> answers = new LinkedBlockingQueue<>();
  private int number;

  private Chromium(Process process, URI page) {
    this.process = process;
    socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Answers()).join();
  }

  /** The browser's program, if it is installed. */
  static Optional<Path> program() {
    return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Opens a page in a new browser, which keeps its files in an empty folder. */
  static Chromium open(Path folder, String url) throws Exception {
    Process process =
        new ProcessBuilder(
                program().orElseThrow().toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--window-size=1100,560",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder,
                url)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return new Chromium(process, page(folder, process));
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static URI page(Path folder, Process process) throws Exception {
    Path ports = folder.resolve("DevToolsActivePort");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() - end < 0 && process.isAlive()) {
      if (Files.exists(ports) && !Files.readString(ports).isEmpty()) {
        String list = "http://127.0.0.1:" + Files.readAllLines(ports).get(0).strip() + "/json/list";
        String pages =
            HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(list)).build(), BodyHandlers.ofString())
                .body();
        for (JsonElement each : JsonParser.parseString(pages).getAsJsonArray()) {
          JsonObject target = each.getAsJsonObject();
          if (target.get("type").getAsString().equals("page")) {
            return URI.create(target.get("webSocketDebuggerUrl").getAsString());
          }
        }
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    throw new IOException("the browser has opened no page");
  }

  /** The value of an expression in the page, as text, or the error that the page has with it. */
  String value(String expression) throws InterruptedException {
    JsonObject parameters = new JsonObject();
    parameters.addProperty("expression", "String(" + expression + ")");
    JsonObject answer = call("Runtime.evaluate", parameters);
    if (!answer.has("result")) { // the page is about to change
      return answer.toString();
    }
    JsonObject said = answer.getAsJsonObject("result").getAsJsonObject("result");
    return said.get(said.has("value") ? "value" : "description").getAsString();
  }

  /** Waits until an expression is true in the page. */
  void await(String expression) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!value(expression).equals("true")) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError(expression + " in " + value("document.body.innerText"));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** A picture of the page, as PNG. */
  byte[] picture() throws InterruptedException {
    JsonObject result = call("Page.captureScreenshot", new JsonObject()).getAsJsonObject("result");
    return Base64.getDecoder().decode(result.get("data").getAsString());
  }

  private JsonObject call(String method, JsonObject parameters) throws InterruptedException {
    JsonObject call = new JsonObject();
    call.addProperty("id", ++number);
    call.addProperty("method", method);
    call.add("params", parameters);
    socket.sendText(call.toString(), true).join();
    while (true) {
      JsonObject answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (answer == null) {
        throw new AssertionError("the browser does not answer " + List.of(method));
      }
      if (answer.has("id") && answer.get("id").getAsInt() == number) {
        return answer;
      }
    }
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private final class Answers implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        answers.add(JsonParser.parseString(text.toString()).getAsJsonObject());
        text.setLength(0);
      }
      from.request(1);
      return java.util.concurrent.CompletableFuture.completedStage(null);
    }
  }
}
