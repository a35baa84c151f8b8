package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes on a real Redis, each with a flight recording. One holds a lock while it sleeps,
 * the other while it reads a socket. Then a hold is forced open, and the last one never ends.
 */
@Tag("ci")
@Tag("once")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class PlantedIncidentTest {
  private static final String NAME = "orders:42";

  @TempDir private Path folder = Path.of("");

  /** One of the processes. */
  private final class Party implements AutoCloseable {
    final Path recording;
    private final Process process;
    private final BufferedReader out;
    private final PrintStream in;

    Party(String name, String uri) throws IOException {
      recording = folder.resolve(name + ".jfr");
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:StartFlightRecording:filename=" + recording + ",dumponexit=true",
                  "-cp",
                  System.getProperty("java.class.path"),
                  PlantedProcess.class.getName(),
                  uri,
                  NAME)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      out = process.inputReader(StandardCharsets.UTF_8);
      in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      awaits("ready");
    }

    void does(String command) {
      in.println(command);
    }

    void awaits(String told) throws IOException {
      for (String line = out.readLine(); !("told " + told).equals(line); line = out.readLine()) {
        assertTrue(line != null, "the process has ended before " + told);
      }
    }

    void ends() throws InterruptedException {
      in.close();
      assertEquals(0, process.waitFor());
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** The recordings of the incident. */
  private List<Path> record() throws Exception {
    try (RedisServer redis = RedisServer.start();
        LockService outside = LockService.open(redis.uri().toString(), "jedis");
        Party web1 = new Party("web-1", redis.uri().toString());
        Party web2 = new Party("web-2", redis.uri().toString())) {
      DistributedLock lock = outside.getLock(NAME);
      web1.does("sleep");
      web1.awaits("sleep");
      web2.does("read");
      web2.awaits("read");
      web1.does("keep");
      web1.awaits("keep");
      web2.does("keep");
      Await.until("web-2 waits", () -> lock.getQueueLength() == 1);
      TimeUnit.MILLISECONDS.sleep(1100); // so that the hold and the wait are long enough to record
      assertTrue(lock.forceUnlock());
      web1.awaits("lost");
      web2.awaits("keep");
      TimeUnit.MILLISECONDS.sleep(500);
      web1.ends();
      web2.ends();
      return List.of(web1.recording, web2.recording);
    }
  }

  @Test
  void theStoryNamesEachFaultAndTheProfileSaysWhereTheHolderWas() throws Exception {
    List<Path> files = record();
    String one = files.get(0).toString();
    String other = files.get(1).toString();

    Invocation story = Invocation.of("story", NAME, one, other);
    assertEquals(0, story.exitCode(), story.all());
    for (String line :
        List.of(
            "web-1 worker-sleep +acquired from the store +PlantedProcess\\.shipSlowly:\\d+",
            "web-2 worker-read +waits +PlantedProcess\\.askSlowServer:\\d+",
            "web-1 worker-sleep +released after (1\\.[2-9]|[2-9]\\.|\\d\\d)[\\d.]* s",
            "web-2 worker-read +granted after [\\d.]+ m?s",
            "web-1 worker-keep +LOST: forced, \"[^\"]+\"",
            "web-2 worker-keep +granted after [\\d.]+ m?s",
            "web-2 worker-keep +has held it for [\\d.]+ m?s when its recording ended")) {
      assertTrue(Pattern.compile(line).matcher(story.out()).find(), line + " in\n" + story.out());
    }
    assertTrue(
        Pattern.compile("web-1: [+-]0\\.\\d+ s ± \\d+\\.\\d ms").matcher(story.out()).find(),
        story.out());

    Path page = folder.resolve("wait.html");
    Path lines = folder.resolve("wait.txt");
    Invocation table =
        Invocation.of(
            "contention", "--html", page.toString(), "--collapsed", lines.toString(), one, other);
    assertEquals(0, table.exitCode(), table.all());
    for (String row :
        List.of(
            "orders:\\* +web-2 worker-read +web-1 worker-sleep"
                + " +PlantedProcess\\.pause:\\d+ \\[sleeps]",
            "orders:\\* +web-2 worker-keep +web-1 worker-keep +PlantedProcess\\.keep:\\d+",
            "orders:\\* +web-1 worker-keep +web-2 worker-read"
                + " +PlantedProcess\\.askSlowServer:\\d+ \\[reads from a socket]")) {
      assertTrue(Pattern.compile(row).matcher(table.out()).find(), row + " in\n" + table.out());
    }
    assertTrue(
        Files.readString(lines).contains("by web-2 worker-read;for web-1 worker-sleep;"),
        Files.readString(lines));
    assertTrue(Files.readString(page).contains("PlantedProcess.shipSlowly"));

    List<String> objects = Invocation.of("contention", "--json", one, other).out().lines().toList();
    JsonObject sums = JsonParser.parseString(objects.get(objects.size() - 1)).getAsJsonObject();
    double stacked = sums.get("stackedMillis").getAsDouble();
    double waited = sums.get("waitedMillis").getAsDouble();
    double held = sums.get("heldMillis").getAsDouble();
    assertTrue(waited > 1000 && stacked / held >= 0.95, table.out());
    assertTrue(waited - held < 2000, table.out()); // that is how long this machine takes to wake
    keep(files, page);
  }

  /** With {@code -Dmortise.recordings=FOLDER} it keeps what the page on the command shows. */
  private static void keep(List<Path> files, Path page) throws IOException {
    String kept = System.getProperty("mortise.recordings");
    if (kept != null) {
      for (Path each : List.of(files.get(0), files.get(1), page)) {
        Files.copy(each, Path.of(kept).resolve(each.getFileName()));
      }
    }
  }
}
