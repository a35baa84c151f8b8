package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The lines of the logger io.mortise.locks at DEBUG. */
class StoryTest implements BackendUnderTest {
  private static final int DEBUG = 10;
  private static final int WARN = 30;

  private final LogCapture log = LogCapture.start();
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockService one = LockService.of(store.backend());
  private final LockService other = LockService.of(store.backend());

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  /** Sets the level by reflection, because the simple logger has no other way once it exists. */
  private static void setLevel(int level) {
    Object logger = LoggerFactory.getLogger("io.mortise.locks");
    try {
      Field current = logger.getClass().getDeclaredField("currentLogLevel");
      current.setAccessible(true);
      current.setInt(logger, level);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the simple logger has changed; adapt this test", e);
    }
  }

  @BeforeEach
  void listen() {
    setLevel(DEBUG);
  }

  @AfterEach
  void close() {
    log.close();
    setLevel(WARN);
    one.close();
    other.close();
  }

  /** The lines about a lock without their prefixes and ids. */
  private List<String> logged(String lock) {
    String head = "lock '" + lock + "': ";
    return log.lines("locks - " + head).stream()
        .map(line -> line.substring(line.indexOf(head) + head.length()))
        .map(line -> line.replaceAll("[^ ]+~[^ ,;]+", "ID"))
        .toList();
  }

  private static Thread lockInThread(DistributedLock lock, String name) {
    Thread thread =
        new Thread(
            () -> {
              lock.lock();
              lock.unlock();
            },
            name);
    thread.start();
    return thread;
  }

  private static void awaitParked(Thread thread) {
    Await.until(
        "it waits",
        () ->
            thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  @Rule("L10")
  void aLockThatIsWaitedForIsQueuedGrantedAndAcquired() throws InterruptedException {
    DistributedLock mine = one.getLock("a");
    mine.lock();
    Thread next = lockInThread(other.getLock("a"), "next");
    Await.until("it is queued", () -> logged("a").size() == 2);
    awaitParked(next);
    store.advance(Duration.ofSeconds(1));
    mine.unlock();
    next.join();

    String main = Thread.currentThread().getName();
    List<String> told = logged("a");
    assertEquals(
        List.of(
            "acquired by thread " + main + " from the store after 0 ms, as ID",
            "ID is queued; the lease of the holder ends in 30000 ms"),
        told.subList(0, 2));
    assertTrue(told.contains("released by thread " + main + " after 1000 ms"), told.toString());
    List<String> theirs = told.stream().filter(line -> !line.contains(main)).skip(1).toList();
    assertEquals(
        List.of(
            "granted to ID by message",
            "acquired by thread next from the store after 1000 ms, as ID",
            "released by thread next after 0 ms"),
        theirs);
  }

  @Test
  @Rule("L12")
  void aLockThatIsHandedOffSaysSo() throws InterruptedException {
    DistributedLock lock = one.getLock("b");
    lock.lock();
    Thread next = lockInThread(lock, "next");
    awaitParked(next);
    lock.unlock();
    next.join();

    String main = Thread.currentThread().getName();
    List<String> told = logged("b");
    assertTrue(
        told.contains("handed off inside this process by thread " + main + " after 0 ms"),
        told.toString());
    assertTrue(
        told.contains("acquired by thread next inside this process after 0 ms, as ID"),
        told.toString());
  }

  @Test
  @Rule("L9")
  void aLeaseThatIsLostSaysWhyAndSoDoesItsException() throws InterruptedException {
    Lease lease = one.getLock("c").withLease(Duration.ofSeconds(1)).acquire();
    store.advance(Duration.ofSeconds(2));
    Await.until("it is lost", () -> !lease.isValid());

    assertEquals(
        List.of(
            "acquired as a lease after 0 ms, as ID",
            "ID is lost: its lease ended, which was fixed at 1000 ms"),
        logged("c"));
    LeaseLostException e = assertThrows(LeaseLostException.class, lease::close);
    assertTrue(String.valueOf(e.getMessage()).contains("fixed at 1000 ms"), e.getMessage());
  }

  @Test
  @Rule("L5")
  void anAttemptInVainSaysSo() throws InterruptedException {
    DistributedLock mine = one.getLock("d");
    mine.lock();
    Thread thread = Thread.currentThread();

    assertTrue(!other.getLock("d").tryLock(0, TimeUnit.SECONDS));

    assertTrue(
        logged("d").contains("not acquired by thread " + thread.getName() + " within 0 ms"),
        log.text());
    mine.unlock();
  }

  @Test
  @Rule("L19")
  void switchedOffItLogsNothing() {
    setLevel(WARN);
    DistributedLock lock = one.getLock("e");
    lock.lock();
    lock.unlock();

    assertEquals("", log.text());
  }
}
