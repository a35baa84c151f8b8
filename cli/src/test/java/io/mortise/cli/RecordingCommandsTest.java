package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonParser;
import io.mortise.DeadlockException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that read flight recordings: what they show, and what they refuse. */
@Timeout(120)
class RecordingCommandsTest {
  private static final String EVIL =
      "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>";

  @TempDir private static Path folder = Path.of("");

  /** A recording of waits for a lock with a bad name, for one with control characters, and one. */
  private static Path recording = Path.of("");

  @BeforeAll
  static void record() throws Exception {
    recording = folder.resolve("web-1.jfr");
    try (Recording made = new Recording();
        LockService holder = LockService.open("memory:recorded");
        LockService waiter = LockService.open("memory:recorded")) {
      made.enable("io.mortise.LockHold").withThreshold(Duration.ofMillis(1));
      made.enable("io.mortise.LockWait").withThreshold(Duration.ofMillis(1));
      made.enable("jdk.ThreadSleep").withThreshold(Duration.ofMillis(1)).withStackTrace();
      made.start();
      for (String name : List.of("orders:42", EVIL, CommandsTest.NASTY)) {
        contend(holder.getLock(name), waiter.getLock(name));
      }
      made.dump(recording);
    }
  }

  private static void contend(DistributedLock held, DistributedLock wanted)
      throws InterruptedException {
    contend(held, wanted, () -> {});
  }

  private static void contend(DistributedLock held, DistributedLock wanted, Runnable meanwhile)
      throws InterruptedException {
    held.lock();
    Thread waiting =
        new Thread(
            () -> {
              wanted.lock();
              wanted.unlock();
            },
            "waiter-7");
    waiting.start();
    Await.until("the thread waits", () -> LockSupport.getBlocker(waiting) != null);
    TimeUnit.MILLISECONDS.sleep(200);
    meanwhile.run();
    held.unlock();
    waiting.join();
  }

  @Test
  void aStoryIsToldInWordsAndAsObjects() {
    Invocation story = Invocation.of("story", "orders:42", recording.toString());
    assertEquals(0, story.exitCode(), story.all());
    assertTrue(story.out().startsWith("orders:42 on "), story.out());
    assertTrue(story.out().matches("(?s).*waiter-7 +granted after [\\d.]+ m?s.*"), story.out());

    List<String> objects =
        Invocation.of("story", "orders:42", "--json", recording.toString()).out().lines().toList();
    objects.forEach(each -> assertTrue(JsonParser.parseString(each).isJsonObject(), each));
    assertTrue(objects.get(0).contains("\"process\":\"web-1\""), objects.get(0));

    Invocation limited = Invocation.of("story", "orders:42", "--limit", "2", recording.toString());
    assertTrue(limited.err().contains("are left out"), limited.err());
    limited = Invocation.of("story", "orders:42", "--json", "--limit", "2", recording.toString());
    assertTrue(JsonParser.parseString(limited.err()).isJsonObject(), limited.err());
  }

  @Test
  void aDeadlockIsInTheStoryOfEachOfItsLocks() throws Exception {
    Path crossed = folder.resolve("crossed.jfr");
    try (Recording made = new Recording()) {
      made.start();
      try (LockService locks =
          LockService.builder().uri("memory:crossed").breakDeadlocks(true).open()) {
        CyclicBarrier both = new CyclicBarrier(2);
        Thread first = crossing(both, locks.getLock("left"), locks.getLock("right"));
        Thread second = crossing(both, locks.getLock("right"), locks.getLock("left"));
        first.join();
        second.join();
      }
      for (String name : List.of("left", "right")) {
        Await.until("the executor has recorded it", () -> !deadlock(made, crossed, name).isEmpty());
        String line = deadlock(made, crossed, name);
        assertTrue(line.contains("holds lock 'left' and waits for lock 'right'"), line);
        assertTrue(line.contains("holds lock 'right' and waits for lock 'left'"), line);
      }
    }
  }

  private static String deadlock(Recording made, Path file, String lock) {
    try {
      made.dump(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Invocation.of("story", lock, file.toString())
        .out()
        .lines()
        .filter(each -> each.contains("found a deadlock"))
        .findAny()
        .orElse("");
  }

  /** A thread that takes one lock, and then another, which may end as a deadlock. */
  private static Thread crossing(CyclicBarrier both, DistributedLock one, DistributedLock other) {
    Thread thread =
        new Thread(() -> {
          one.lock();
          try {
            both.await();
            other.lock();
            other.unlock();
          } catch (DeadlockException e) {
            // The other thread goes on.
          } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
          } finally {
            one.unlock();
          }
        });
    thread.start();
    return thread;
  }

  @Test
  void aLockThatIsInNoRecordingIsExitCode1() {
    Invocation none = Invocation.of("story", "nothing", recording.toString());
    assertEquals(1, none.exitCode());
    assertTrue(none.err().contains("no recording has 'nothing'; there are 3 locks:"), none.err());
    assertEquals("", none.out());
  }

  @Test
  void theTableSaysWhoWaitedForWhom() {
    Invocation table = Invocation.of("contention", recording.toString());
    assertEquals(0, table.exitCode(), table.all());
    assertTrue(
        table.out().matches("(?s).*orders:\\* +web-1 waiter-\\* +web-1 .*\\[sleeps].*"),
        table.out());
    Invocation names = Invocation.of("contention", "--names", recording.toString());
    assertTrue(names.out().matches("(?s).*orders:42 +web-1 waiter-7 .*"), names.out());
  }

  @Test
  void namesCannotSteerATerminal() {
    for (Invocation each :
        List.of(
            Invocation.of("contention", recording.toString()),
            Invocation.of("contention", "--json", recording.toString()),
            Invocation.of("story", CommandsTest.NASTY, recording.toString()),
            Invocation.of("story", "x", recording.toString()))) {
      assertFalse(each.all().matches("(?s).*[\u001b\u0007\u009b\u202e\u2028].*"), each.all());
    }
  }

  @Test
  @Tag("ci")
  void aBrowserShowsThePageAndRunsNoName() throws Exception {
    assumeTrue(Chromium.program().isPresent(), "Chromium is not installed");
    Path page = folder.resolve("wait.html");
    Invocation made = Invocation.of("contention", "--html", page.toString(), recording.toString());
    assertEquals(0, made.exitCode(), made.all());
    Path home = Files.createTempDirectory("mortise-browser-");
    try (Chromium browser = Chromium.open(home, page.toUri().toString())) {
      browser.await("document.querySelectorAll('#graph button').length > 5");
      assertEquals("Mortise: who waited for whom", browser.value("document.title"));
      assertEquals("0", browser.value("document.querySelectorAll('#graph img').length"));
      assertEquals(
          "true",
          browser.value(
              "[...document.querySelectorAll('#graph button')].some(b => b.textContent === "
                  + Json.of(EVIL)
                  + ")"));
      browser.value(
          "[...document.querySelectorAll('#graph button')]"
              + ".find(b => b.textContent === 'orders:*').click()");
      assertEquals(
          "true",
          browser.value("document.getElementById('detail').textContent.startsWith('orders:*: ')"));
      browser.value(
          "(document.getElementById('search').value = 'SLEEPS',"
              + " document.getElementById('search').oninput())");
      assertEquals("1", browser.value("document.querySelectorAll('#graph .found').length"));
    }
  }

  // Bad input

  private static void refuses(int code, String message, Path... files) {
    for (String command : List.of("story x", "contention")) {
      String[] args =
          Stream.concat(
                  Arrays.stream(command.split(" ", -1)), Arrays.stream(files).map(Path::toString))
              .toArray(String[]::new);
      Invocation refused = Invocation.of(args);
      assertEquals(code, refused.exitCode(), refused.all());
      assertTrue(refused.err().contains(message), refused.err());
      assertEquals("", refused.out());
    }
  }

  @Test
  void aFileThatIsMissingOrNoRecordingIsExitCode2() throws IOException {
    refuses(2, "missing.jfr does not exist", folder.resolve("missing.jfr"));
    refuses(2, "is no file", folder);
    Path text = Files.writeString(folder.resolve("text.jfr"), "not a recording");
    refuses(2, "text.jfr is no flight recording", text);
    refuses(2, "empty.jfr is no flight recording", Files.createFile(folder.resolve("empty.jfr")));
  }

  @Test
  void aRecordingThatIsCutOffIsReadAsFarAsItGoesOrRefused() throws IOException {
    byte[] whole = Files.readAllBytes(recording);
    for (int part = 1; part < 8; part++) {
      Path cut = folder.resolve("cut-" + part + ".jfr");
      Files.write(cut, Arrays.copyOf(whole, whole.length * part / 8));
      Invocation read = Invocation.of("contention", cut.toString());
      assertTrue(read.exitCode() == 2 || read.err().contains("is cut off"), read.all());
      assertFalse(read.err().contains("unexpected"), read.err());
      Invocation objects = Invocation.of("contention", "--json", cut.toString());
      assertEquals(read.err().contains("is cut off"), objects.err().contains("is cut off"));
      objects.err().lines().forEach(each -> JsonParser.parseString(each).getAsJsonObject());
    }
  }

  @Test
  void aRecordingOfAnotherProgramHasNothingToTell() throws IOException {
    Path other = folder.resolve("other.jfr");
    try (Recording made = new Recording()) {
      made.start();
      made.dump(other);
    }
    refuses(1, "other.jfr has no events of locks", other);
  }

  @Test
  void aPageThatCannotBeWrittenIsExitCode2() {
    Invocation made =
        Invocation.of("contention", "--html", folder.toString(), recording.toString());
    assertEquals(2, made.exitCode());
    assertTrue(made.err().contains("--html " + folder + " cannot be written"), made.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--html", "--collapsed"})
  void aRecordingIsNotTakenForTheFileToWrite(String option) throws IOException {
    Path first = Files.copy(recording, folder.resolve("first" + option + ".jfr"));

    Invocation forgotten =
        Invocation.of("contention", option, first.toString(), recording.toString());

    assertEquals(2, forgotten.exitCode(), forgotten.all());
    assertTrue(forgotten.err().contains("would overwrite the recording"), forgotten.err());
    assertEquals(-1, Files.mismatch(recording, first));
  }

  @Test
  void aPageAndLinesNeedFilesOfTheirOwn() {
    String one = folder.resolve("one").toString();
    Invocation both =
        Invocation.of("contention", "--html", one, "--collapsed", one, recording.toString());
    assertEquals(2, both.exitCode(), both.all());
    assertTrue(both.err().contains("name the same file"), both.err());
  }

  @Test
  void aHolderMayStandInADeepRecursion() throws Exception {
    Path deep = folder.resolve("deep.jfr");
    try (Recording made = new Recording();
        LockService holder = LockService.open("memory:deep");
        LockService waiter = LockService.open("memory:deep")) {
      made.enable("io.mortise.LockHold").withThreshold(Duration.ofMillis(1));
      made.enable("io.mortise.LockWait").withThreshold(Duration.ofMillis(1));
      made.enable("jdk.ThreadDump").with("period", "everyChunk");
      made.start();
      contend(
          holder.getLock("deep"),
          waiter.getLock("deep"),
          () -> descend(900, () -> dump(made, deep)));
      dump(made, deep);
    }
    Path page = folder.resolve("deep.html");
    Path lines = folder.resolve("deep.txt");

    Invocation told =
        Invocation.inThread(() ->
                Invocation.of(
                    "contention",
                    "--html",
                    page.toString(),
                    "--collapsed",
                    lines.toString(),
                    deep.toString()))
            .get();

    assertEquals(0, told.exitCode(), told.all());
    for (Path each : List.of(page, lines)) {
      assertTrue(Files.readString(each).split("descend:", -1).length > 500, each::toString);
    }
  }

  private static void descend(int frames, Runnable bottom) {
    if (frames == 0) {
      bottom.run();
    } else {
      descend(frames - 1, bottom);
    }
  }

  private static void dump(Recording made, Path file) {
    try {
      made.dump(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The event of an older version, which lacks most fields. */
  @Name("io.mortise.LockWait")
  @StackTrace(false)
  static final class OldWait extends Event {
    String lock = "";
    String outcome = "acquired";
  }

  @Test
  void aHundredThousandEventsOfAnOldVersionAreReadInSeconds() throws IOException {
    Path many = folder.resolve("many.jfr");
    try (Recording made = new Recording()) {
      made.enable(OldWait.class).withoutThreshold();
      made.start();
      for (int i = 0; i < 100_000; i++) {
        OldWait event = new OldWait();
        event.begin();
        event.lock = "many:" + i % 10;
        event.commit();
      }
      made.dump(many);
    }
    long start = System.nanoTime();
    Invocation table = Invocation.of("contention", many.toString());
    Invocation story = Invocation.of("story", "many:1", many.toString());
    assertEquals(0, table.exitCode(), table.all());
    assertTrue(story.out().contains("its own clock"), story.out().substring(0, 200));
    assertTrue(story.err().contains("first 19,000 events are left out"), story.err());
    long took = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    assertTrue(took < 60, "it took " + took + " s");
  }

  @Test
  void twoRecordingsOfOneProcessCountOnce() throws IOException {
    Path again = Files.copy(recording, folder.resolve("again.jfr"));
    String once = Invocation.of("story", "orders:42", recording.toString()).out();
    String twice =
        Invocation.of("story", "orders:42", recording.toString(), again.toString()).out();
    assertEquals(once, twice);
  }
}
