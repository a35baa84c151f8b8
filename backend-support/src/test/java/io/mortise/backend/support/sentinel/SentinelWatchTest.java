package io.mortise.backend.support.sentinel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.BrokenPool;
import io.mortise.backend.support.sentinel.FakeSet.FakeSentinel;
import io.mortise.backend.support.sentinel.SentinelWatch.Master;
import io.mortise.spi.TimeSource;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who is asked, and how often. The time stands still unless a test moves it. */
class SentinelWatchTest {
  private final FakeSet set = new FakeSet();
  private final FakeSentinel one = set.sentinelAt("s1:1", "m:1", 1);
  private final FakeSentinel two = set.sentinelAt("s2:1", "m:1", 1);
  private final FakeSentinel three = set.sentinelAt("s3:1", "m:1", 1);
  private final Clock clock = new Clock();
  private final List<Master> answers = new CopyOnWriteArrayList<>();
  private final SentinelWatch watch = new SentinelWatch(set, "m", answers::add, clock);

  @AfterEach
  void close() {
    set.close();
    watch.close();
  }

  /** Time that a test moves from timer to timer. */
  private static final class Clock implements TimeSource {
    private record Due(long at, Runnable task) {}

    private final List<Due> timers = new ArrayList<>();
    private long now;
    volatile boolean refuses;

    @Override
    public synchronized long nanoTime() {
      return now;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public synchronized Timer schedule(Runnable task, Duration delay) {
      if (refuses) {
        throw new Error("no thread can be made");
      }
      Due timer = new Due(now + delay.toNanos(), task);
      timers.add(timer);
      return () -> {
        synchronized (this) {
          timers.remove(timer);
        }
      };
    }

    synchronized int pending() {
      return timers.size();
    }

    /** The times until the timers, in seconds. */
    synchronized List<Long> ahead() {
      return timers.stream().map(each -> Duration.ofNanos(each.at - now).toSeconds()).toList();
    }

    /** Moves to the next timer and runs it. Returns the time that passed, in seconds. */
    long next() {
      Due first;
      long passed;
      synchronized (this) {
        first = timers.stream().min((a, b) -> Long.compare(a.at, b.at)).orElseThrow();
        timers.remove(first);
        passed = first.at - now;
        now = first.at;
      }
      first.task.run();
      return Duration.ofNanos(passed).toSeconds();
    }

    synchronized void pass(Duration some) {
      now += some.toNanos();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > Duration.ofSeconds(20).toNanos();
      assertFalse(late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private int tries(String place) {
    return set.tries.getOrDefault(place, 0);
  }

  /** The pauses after the next failures of a place, in seconds. It is the only one that fails. */
  private List<Long> pauses(String place, int number) {
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      await("another try is ahead", () -> clock.pending() == 1);
      int before = tries(place);
      pauses.add(clock.next());
      await("it was tried", () -> tries(place) > before);
    }
    await("another try is ahead", () -> clock.pending() == 1);
    return pauses;
  }

  private void allKnowEachOther() {
    one.knows("s2:1", "s3:1");
    two.knows("s1:1", "s3:1");
    three.knows("s1:1", "s2:1");
    List.of(one, two, three).forEach(each -> each.names("m:1", 1, "master"));
  }

  /** Each of the two is asked at once, and when its subscription is confirmed. */
  private void awaitFirstQuestions() {
    await("both were asked", () -> one.asked + two.asked >= 8);
  }

  @Test
  @DisplayName("B19: two sentinels that know each other and a dead one are not asked again")
  void noStorm() {
    allKnowEachOther();
    set.down.add("s3:1");
    watch.open(List.of("s1:1", "s2:1", "s3:1")).join();
    awaitFirstQuestions();
    pauses("s3:1", 20);
    assertEquals(8, one.asked + two.asked, "the set has not changed");
  }

  @Test
  @DisplayName("B19: a dead sentinel is tried after pauses that grow to a minute, and start again")
  void pausesGrow() {
    allKnowEachOther();
    set.down.add("s3:1");
    watch.open(List.of("s1:1", "s2:1", "s3:1")).join();
    assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L), pauses("s3:1", 8));
    set.down.remove("s3:1");
    clock.next();
    await("it was asked", () -> three.asked >= 2);
    await("no more tries", () -> clock.pending() == 0);
    three.answer = List.of();
    set.down.add("s3:1");
    three.breaks();
    assertEquals(List.of(1L, 2L, 4L), pauses("s3:1", 3));
  }

  @Test
  @DisplayName("B23: while no sentinel is heard, dead ones are tried every two seconds")
  void nobodyIsHeard() {
    set.down.add("s1:1");
    watch.open(List.of("s1:1")).join();
    assertEquals(List.of(1L, 2L, 2L, 2L, 2L), pauses("s1:1", 5));
  }

  @Test
  @DisplayName("B23: when the last sentinel falls silent, one that rests is tried at once")
  void theLastIsLost() {
    set.down.add("s2:1");
    watch.open(List.of("s1:1", "s2:1")).join();
    pauses("s2:1", 7);
    int before = tries("s2:1");
    set.down.add("s1:1");
    one.answer = List.of();
    one.breaks();
    await("the other is tried", () -> tries("s2:1") > before);
  }

  @Test
  @DisplayName("B19: a dead sentinel is forgotten when no living one knows it")
  void forgotten() {
    allKnowEachOther();
    watch.open(List.of("s1:1", "s2:1")).join();
    await("the third is found", () -> three.asked >= 2);
    set.down.add("s3:1");
    three.answer = List.of();
    three.breaks();
    pauses("s3:1", 3);
    one.knows("s2:1");
    two.knows("s1:1");
    List.of(one, two).forEach(each -> each.names("m:1", 1, "master"));
    clock.pass(Duration.ofSeconds(1));
    int before = one.asked + two.asked;
    watch.askAll();
    await("both have told", () -> one.asked + two.asked == before + 4);
    clock.next();
    await("it was tried once more", () -> tries("s3:1") == 5);
    await("there is no other try", () -> clock.pending() == 0);
  }

  @Test
  @DisplayName("B19: one that the URI names is tried for ever, also if nobody knows it")
  void theUriCounts() {
    set.down.add("s9:1");
    watch.open(List.of("s1:1", "s9:1")).join();
    assertEquals(60L, pauses("s9:1", 9).get(8));
  }

  @Test
  @DisplayName("B19: failed calls ask a living sentinel once a second, and a dead one not at all")
  void failedCalls() {
    allKnowEachOther();
    set.down.add("s3:1");
    watch.open(List.of("s1:1", "s2:1", "s3:1")).join();
    awaitFirstQuestions();
    int before = one.asked;
    int tried = tries("s3:1");
    for (int i = 0; i < 100; i++) {
      watch.askAll();
    }
    assertEquals(before, one.asked);
    clock.pass(Duration.ofSeconds(1));
    watch.askAll();
    watch.askAll();
    await("it was asked", () -> one.asked == before + 2);
    assertEquals(tried, tries("s3:1"));
  }

  @Test
  @DisplayName("B19: one that refuses is asked on the same link after pauses that grow")
  void refusals() {
    one.refuses = "NOPERM this user has no permissions to run 'sentinel|master'";
    watch.open(List.of("s1:1")).join();
    await("it was asked twice", () -> one.asked == 2 && clock.ahead().equals(List.of(2L)));
    for (long pause : List.of(2, 4, 8, 16, 32, 60, 60)) {
      int before = one.asked;
      assertEquals(pause, clock.next());
      await("it was asked", () -> one.asked > before && clock.pending() == 1);
    }
    assertEquals(1, tries("s1:1"));
  }

  @Test
  @DisplayName("B19: one that cannot be heard is subscribed to after pauses that grow")
  void deaf() {
    one.isDeaf = true;
    watch.open(List.of("s1:1")).join();
    for (long pause : List.of(1, 2, 4, 8, 10, 10)) {
      await("another try is ahead", () -> clock.pending() == 1);
      int before = one.asked;
      assertEquals(pause, clock.next());
      await("it was asked", () -> one.asked > before && clock.pending() == 1);
    }
    assertEquals(1, tries("s1:1"));
    assertFalse(watch.isListening());
    one.isDeaf = false;
    clock.next();
    await("it is heard", watch::isListening);
  }

  @Test
  @DisplayName("B23: 40 silent sentinels do not delay the one that names a new master")
  void silentOnes() {
    String[] silent = IntStream.range(0, 40).mapToObj(i -> "silent:" + i).toArray(String[]::new);
    set.silent.addAll(List.of(silent));
    one.knows(silent);
    one.names("m:1", 1, "master");
    CompletableFuture<Void> opening = watch.open(List.of("s1:1"));
    await("all are tried", () -> set.tries.size() == 41);
    one.names("m:2", 2, "master");
    one.tells();
    await("it was heard", () -> answers.stream().anyMatch(each -> each.place().equals("m:2")));
    assertTrue(opening.isDone(), "opening waits for those of the URI alone");
  }

  @Test
  @DisplayName("B19, B23: a sentinel is tried again although no thread for its timer can be made")
  void withoutATimer() {
    set.down.add("s1:1");
    clock.refuses = true;
    CompletableFuture<Void> opening = watch.open(List.of("s1:1"));
    await("it was tried without a timer", () -> tries("s1:1") >= 2);
    clock.refuses = false;
    await("another try is ahead", () -> clock.pending() == 1);
    assertTrue(opening.isDone());
    set.down.clear();
    clock.next();
    await("it is heard", watch::isListening);
  }

  @Test
  @DisplayName(
      "B19, B23: a sentinel is tried again although no thread for the question can be made")
  void withoutAThread() throws Exception {
    set.down.add("s1:1");
    watch.open(List.of("s1:1")).join();
    await("another try is ahead", () -> clock.pending() == 1);
    Field links = SentinelWatch.class.getDeclaredField("links");
    links.setAccessible(true);
    Object link = ((Map<?, ?>) links.get(watch)).get("s1:1");
    try (BrokenPool broken = new BrokenPool(link, "turns")) {
      await("its thread has ended", () -> broken.size() == 0);
      clock.next();
      assertEquals(1, clock.pending());
    }
    set.down.clear();
    clock.next();
    await("it is heard", watch::isListening);
  }
}
