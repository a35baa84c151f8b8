package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.Permissions;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.SwitchBell;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.Remains;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a backend does while sentinels replace the master. Each test has a set of its own. */
abstract class FailoverDuties extends Duties {
  private static final Duration DOWN_AFTER = Duration.ofSeconds(1);

  /** How long after a sentinel's message the old master may still get calls. */
  private static final Duration GRACE = Duration.ofMillis(100);

  private static final Script NOTE =
      Script.of("note", "return {redis.call('RPUSH', KEYS[1], ARGV[1])}");

  private RedisSentinels set;
  private RedisServer old;
  private SwitchBell bell;
  private LockBackend backend;
  private Recorder recorder;

  FailoverDuties(RedisSentinelConformance suite) {
    super(suite);
  }

  @BeforeEach
  void startSet() {
    set = RedisSentinels.start(DOWN_AFTER);
    old = set.master();
    bell = new SwitchBell(set);
    backend = open(set.uri());
    recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
  }

  @AfterEach
  void stopSet() {
    if (set != null) {
      bell.close();
      set.close();
    }
  }

  /** Waits for the failover, and checks that the backend has followed it. */
  private RedisServer assertMoved() {
    Await.value(bell.first());
    RedisServer next = set.masterAfter(old);
    // Until the backend has heard of it, the old master takes calls.
    Await.until(
        "calls work and messages have moved",
        () -> FaultDuties.works(backend) && recorder.signs().equals("+-+"));
    backend.execute(increment(name("moved")));
    assertEquals("1", next.command("GET", name("moved")));
    assertEquals(1L, publish(backend, name("channel"), "moved"), "B14: the master counts it");
    recorder.awaitMessage("moved");
    assertFalse(recorder.overlapped(), "B12: two threads were in the listener at once");
    return next;
  }

  @OnEachServer
  @Test
  @Rule({"B23", "B11", "B14"})
  @DisplayName("B23: after the master was killed, calls and messages go to the next one")
  void aKilledMaster(Figures figures) {
    old.kill();
    long told = Await.value(bell.first());
    FaultDuties.awaitWorking(backend);
    long took = Duration.ofNanos(System.nanoTime() - told).toMillis();
    figures.add("first call after a sentinel named the next master, ms", String.valueOf(took));
    assertTrue(took < 5_000, () -> "the first call came after " + took + " ms");
    assertMoved();
  }

  @OnEachServer
  @Test
  @Rule({"B23", "B11"})
  @DisplayName("B23: when an operator moves the master, calls and messages follow")
  void aPlannedFailover() {
    set.sentinels().get(0).command("SENTINEL", "FAILOVER", set.name());
    assertMoved();
  }

  @Test
  @Rule({"B1", "B3", "B23"})
  @DisplayName("B23: calls at the old master end when it is replaced, with true outcomes")
  void callsInFlight() throws InterruptedException {
    ScriptCall call = FaultDuties.within(Duration.ofSeconds(20), increment(name("n")));
    old.pause();
    Crew callers =
        Crew.start(
            ThreadKind.PLATFORM,
            24,
            number -> {
              try {
                Way.turn(number).call(backend, call);
              } catch (BackendException e) {
                assertNotEquals(Outcome.REPLIED, e.outcome(), e::toString);
              }
            });
    long told = Await.value(bell.first());
    callers.join(Await.patience());
    Duration late = Duration.ofNanos(System.nanoTime() - told);
    assertTrue(late.compareTo(Duration.ofSeconds(5)) < 0, () -> "calls ended after " + late);
  }

  @Test
  @Rule({"B17", "B23"})
  @DisplayName("B17: closing in the middle of a failover ends all threads")
  void closingInTheMiddle() {
    backend.close(); // it would follow the failover too, with threads of its own
    Remains remains = new Remains();
    LockBackend closing = suite().open(set.uri());
    closing.subscribe(name("other"), new Recorder());
    set.sentinels().get(2).pause();
    old.pause();
    Await.value(bell.first());
    CompletableFuture<?> call =
        closing.executeAsync(FaultDuties.within(Duration.ofSeconds(60), increment(name("n"))));
    closing.close();
    remains.assertNoThread();
    Await.until("the call has ended", call::isDone);
  }

  @Test
  @Rule("B23")
  @DisplayName("B23: an old master that was only frozen gets no call once a sentinel named another")
  void aFrozenMaster(Figures figures) throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong made = new AtomicLong();
    Crew callers =
        Crew.start(
            ThreadKind.PLATFORM,
            8,
            number -> {
              while (!over.get()) {
                made.addAndGet(note(Way.turn(number)));
              }
            });
    Await.until("calls are under way", () -> made.get() > 100);
    old.pause();
    long told = Await.value(bell.first());
    RedisServer next = set.masterAfter(old);
    FaultDuties.awaitWorking(backend);
    old.resume();
    long before = made.get();
    Await.until("many calls were made", () -> made.get() > before + 500);
    over.set(true);
    callers.join(Await.patience());
    assertEquals("master", role(old), "the old master is not demoted yet");
    old.command("RPUSH", name("log"), "it takes writes");
    List<Long> late = notes(old).stream().filter(at -> at - told > GRACE.toNanos()).toList();
    figures.add("calls to an old master 100 ms after a sentinel named another", late.size() + "");
    figures.add("calls in that time to the new one", String.valueOf(made.get() - before));
    assertEquals(List.of(), late);
    assertTrue(notes(next).size() > 500, "the calls went to the next master");
  }

  /** Writes down when the call was made. Returns whether it was answered. */
  private int note(Way way) {
    String now = String.valueOf(System.nanoTime());
    Duration brief = Duration.ofMillis(500);
    try {
      way.call(backend, new ScriptCall(NOTE, List.of(name("log")), List.of(now), brief));
      return 1;
    } catch (BackendException e) {
      return 0;
    }
  }

  private List<Long> notes(RedisServer server) {
    List<?> log =
        (List<?>) Objects.requireNonNull(server.command("LRANGE", name("log"), "0", "-1"));
    return log.stream()
        .map(String::valueOf)
        .filter(word -> word.matches("-?\\d+"))
        .map(Long::valueOf)
        .toList();
  }

  static Object role(RedisServer server) {
    return ((List<?>) Objects.requireNonNull(server.command("ROLE"))).get(0);
  }

  @Test
  @Rule("B23")
  @DisplayName("B23: a call that wants it gets the number of the failover that made the master")
  void theNumberOfTheFailover() {
    Script tell = Script.of("tell", "return {ARGV[1]}");
    ScriptCall call = new ScriptCall(tell, List.of(), List.of(), Duration.ofSeconds(2)).withEpoch();
    assertEquals(List.of("0"), backend.execute(call));
    old.kill();
    assertMoved();
    String number = set.facts(set.sentinels().get(0)).get("config-epoch");
    assertNotEquals("0", number);
    for (Way way : Way.values()) {
      assertEquals(List.of(number), way.call(backend, call), way::toString);
    }
  }

  @Test
  @Rule("B23")
  @DisplayName("B23: a sentinel that slept through the failover does not lead back")
  void aSentinelWithItsOldFile() {
    RedisServer asleep = set.sentinels().get(2);
    asleep.kill();
    old.pause();
    assertMoved();
    // The others would wake it: they tell the new master to each sentinel that they see.
    set.sentinels().subList(0, 2).forEach(RedisServer::pause);
    old.resume();
    asleep.restart();
    assertEquals(
        String.valueOf(old.port()), set.facts(asleep).get("port"), "it names the old master");
    Await.until("the backend listens to it", () -> hasListener(asleep));
    LockBackend misled = open(set.uri("", 2));
    misled.execute(increment(name("led back")));
    assertEquals("1", old.command("GET", name("led back")), "it leads to the old master");
    backend.execute(increment(name("moved")));
    assertEquals("master", role(old), "the old master is not demoted yet");
    assertEquals(null, old.command("GET", name("moved")));
    assertEquals("+-+", recorder.signs());
    assertEquals(
        String.valueOf(old.port()), set.facts(asleep).get("port"), "it still names the old one");
  }

  @Test
  @Rule("B23")
  @DisplayName("B23: a backend that was given one sentinel learns of the others")
  void oneSentinelNamesTheOthers() {
    backend.close();
    backend = open(set.uri("", 0));
    recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    Await.until(
        "it listens to the others",
        () -> set.sentinels().stream().allMatch(FailoverDuties::hasListener));
    set.sentinels().get(0).kill();
    old.kill();
    assertMoved();
  }

  /** Whether the backend listens, beside the test's own bell. */
  private static boolean hasListener(RedisServer sentinel) {
    String clients = String.valueOf(sentinel.command("CLIENT", "LIST"));
    return clients
        .lines()
        .anyMatch(line -> line.contains(" name=mortise-kit ") && !line.contains(" sub=0 "));
  }

  @Test
  @Rule("B23")
  @DisplayName("B23: without any sentinel the backend goes on with the master that it has")
  void noSentinelIsLeft() {
    set.sentinels().forEach(RedisServer::kill);
    for (Way way : Way.values()) {
      way.call(backend, increment(name(way.name())));
    }
    assertEquals("1", old.command("GET", name(Way.EXECUTE.name())));
    publish(backend, name("channel"), "still here");
    recorder.awaitMessage("still here");
    assertEquals("+", recorder.signs());
  }

  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: a sentinel that may not name the others is refused by the missing rule")
  void withoutTheRightToNameSentinels() {
    RedisServer first = set.sentinels().get(0);
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "watcher", "on", ">secret"));
    words.addAll(Permissions.without(Permissions.SENTINEL, "+sentinel|sentinels"));
    first.command(words.toArray(String[]::new));
    Map<String, String> watcher = Map.of("sentinel.user", "watcher", "sentinel.password", "secret");
    BackendConfig config =
        new BackendConfig(set.uri("", 0), Duration.ofSeconds(2), "mortise-kit", watcher);

    BackendException refusal =
        assertThrows(BackendException.class, () -> suite().provider().open(config).close());

    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("NOPERM") && message.contains("sentinel"), message);
  }
}
