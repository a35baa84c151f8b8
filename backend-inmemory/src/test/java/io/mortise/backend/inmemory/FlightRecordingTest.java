package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a flight recording shows of locks, and that a runtime without {@code jdk.jfr} has them. */
class FlightRecordingTest {
  @TempDir Path directory;

  private final InMemoryStore store = InMemoryStore.withMovableTime();

  private LockService service() {
    return LockService.of(store.backend());
  }

  private List<RecordedEvent> recorded(Recording recording, String type) {
    try {
      Path file = directory.resolve("recorded.jfr");
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().equals("io.mortise." + type))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void enterAndLeave(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  @Test
  @DisplayName("L23: a contended run is recorded: who waited, how long, and on which thread")
  void waitsAreRecorded() throws InterruptedException {
    try (Recording recording = new Recording();
        LockService one = service();
        LockService other = service()) {
      recording.start();
      DistributedLock lock = one.getLock("orders:1");
      lock.lock();
      Thread waiting =
          new Thread(() -> enterAndLeave(other.getLock("orders:1")), "the-waiting-thread");
      waiting.start();
      Await.until("the thread parks", () -> LockSupport.getBlocker(waiting) != null);
      TimeUnit.MILLISECONDS.sleep(50); // above the threshold of 10 ms, which counts real time
      lock.unlock();
      waiting.join();

      RecordedEvent wait = recorded(recording, "LockWait").get(0);

      assertEquals("orders:1", wait.getString("lock"));
      assertEquals("plain", wait.getString("kind"));
      assertEquals("acquired", wait.getString("outcome"));
      assertEquals("granted", wait.getString("via"));
      assertEquals("the-waiting-thread", wait.getThread().getJavaName());
      assertTrue(wait.getDuration().toMillis() >= 50, wait::toString);
      assertTrue(wait.getStackTrace().getFrames().size() > 1);
      assertTrue(wait.getString("holder").contains(":" + waiting.getId() + ":"), wait::toString);
      assertTrue(wait.getLong("serverTime") > 0, wait::toString);
      assertTrue(wait.getLong("roundTrip") >= 0, wait::toString);
      assertEquals(List.of(), recorded(recording, "LockHold"), "holds below 1 s are left out");
    }
  }

  @Test
  @DisplayName("L9, L23: holds, losses and renewals are recorded as the recording asks for them")
  void holdsAndLossesAreRecorded() {
    try (Recording recording = new Recording();
        LockService one = service();
        LockService other = service()) {
      recording.enable("io.mortise.LockHold").withThreshold(Duration.ZERO);
      recording.enable("io.mortise.LeaseRenewal").withThreshold(Duration.ZERO);
      recording.start();
      enterAndLeave(one.getFairLock("short"));
      one.getLock("orders:1").lock();
      store.advance(Duration.ofSeconds(11)); // more than a third of the lease
      Await.until("a renewal", () -> !recorded(recording, "LeaseRenewal").isEmpty());
      other.getLock("orders:2").lock();
      assertTrue(one.getLock("orders:2").forceUnlock());
      Await.until("the loss", () -> recorded(recording, "LockHold").size() == 2);

      List<RecordedEvent> holds = recorded(recording, "LockHold");
      assertEquals("released", holds.get(0).getString("end"));
      assertEquals("fair", holds.get(0).getString("kind"));
      assertEquals("store", holds.get(0).getString("via"));
      assertEquals(
          Thread.currentThread().getId(),
          holds.get(0).getThread("holdingThread").getJavaThreadId());
      assertTrue(
          holds.get(0).getStackTrace().getFrames().stream()
              .anyMatch(frame -> frame.getMethod().getName().equals("enterAndLeave")),
          "the stack of the unlock");
      assertEquals("lost", holds.get(1).getString("end"));
      RecordedEvent lost = recorded(recording, "LeaseLost").get(0);
      assertEquals("orders:2", lost.getString("lock"));
      assertEquals("forced", lost.getString("cause"));
      assertEquals(holds.get(1).getString("holder"), lost.getString("holder"));
      RecordedEvent renewal = recorded(recording, "LeaseRenewal").get(0);
      assertEquals(1, renewal.getInt("holds"));
      assertEquals("ok", renewal.getString("outcome"));
    }
  }

  @Test
  @DisplayName("L23: a reply to a wait has the server's time, between the command and its answer")
  void theServersTimeIsInAWait() throws InterruptedException {
    try (Recording recording = new Recording();
        LockService one = LockService.open("memory:recorded-time");
        LockService other = LockService.open("memory:recorded-time")) {
      recording.start();
      one.getLock("orders:1").lock();
      Thread waiting = new Thread(() -> enterAndLeave(other.getLock("orders:1")));
      waiting.start();
      Await.until("the thread parks", () -> LockSupport.getBlocker(waiting) != null);
      TimeUnit.MILLISECONDS.sleep(50);
      one.getLock("orders:1").unlock();
      waiting.join();

      RecordedEvent wait = recorded(recording, "LockWait").get(0);

      Instant server = Instant.EPOCH.plus(wait.getLong("serverTime"), ChronoUnit.MICROS);
      Instant replied = wait.getEndTime().minusNanos(wait.getLong("replyAge"));
      Duration off = Duration.between(server, replied).abs(); // both are this machine's
      assertTrue(off.toSeconds() < 5, () -> server + " is far from " + replied);
      assertTrue(wait.getLong("replyAge") >= TimeUnit.MILLISECONDS.toNanos(50), wait::toString);
    }
  }

  @Test
  @DisplayName("L23: a recording shows what is held and what waits while it is dumped")
  void whatLastsIsRecorded() throws InterruptedException {
    try (Recording recording = new Recording();
        LockService one = service();
        LockService other = service()) {
      recording.start();
      one.getLock("orders:1").lock();
      Thread waiting =
          new Thread(() -> enterAndLeave(other.getLock("orders:1")), "the-waiting-thread");
      waiting.start();
      Await.until("the thread parks", () -> LockSupport.getBlocker(waiting) != null);
      store.advance(Duration.ofSeconds(5));

      List<RecordedEvent> states =
          recorded(recording, "LockState").stream()
              .filter(event -> event.getDuration("since").toSeconds() == 5)
              .toList();

      RecordedEvent hold = states.stream().filter(e -> isHold(e)).findFirst().orElseThrow();
      assertEquals("orders:1", hold.getString("lock"));
      assertEquals(Thread.currentThread().getName(), hold.getString("threadName"));
      RecordedEvent wait = states.stream().filter(e -> !isHold(e)).findFirst().orElseThrow();
      assertEquals("the-waiting-thread", wait.getString("threadName"));
      one.getLock("orders:1").unlock();
      waiting.join();
    }
    try (Recording recording = new Recording()) {
      recording.start();
      assertEquals(List.of(), recorded(recording, "LockState"), "the services are closed");
    }
  }

  private static boolean isHold(RecordedEvent state) {
    return !state.getString("holder").isEmpty();
  }

  /** A program in a runtime without the module. */
  public static final class WithoutTheModule {
    private WithoutTheModule() {}

    public static void main(String[] args) throws InterruptedException {
      if (ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
        throw new IllegalStateException("this runtime has jdk.jfr");
      }
      try (LockService locks = LockService.open("memory:without")) {
        enterAndLeave(locks.getLock("a"));
        locks.getLock("b").acquire().close();
      }
      System.out.println("locked without jdk.jfr");
    }
  }

  @Test
  @DisplayName("L23: locks work in a runtime that has no jdk.jfr")
  void locksWorkWithoutTheModule() throws IOException, InterruptedException {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--limit-modules",
                "java.base,java.logging",
                "-cp",
                System.getProperty("java.class.path"),
                WithoutTheModule.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals(0, program.waitFor(), output);
    assertTrue(output.contains("locked without jdk.jfr"), output);
  }
}
