package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.Remains;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.SpiVersion;
import java.lang.ref.WeakReference;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a backend opens and closes. */
abstract class LifeDuties extends Duties {
  /** Half of the openings of one test. {@code -Dmortise.soak=1} makes a hundred of them. */
  private static final int HALF = Integer.getInteger("mortise.soak", 0) > 0 ? 50 : 8;

  /** Without the cache of words, which has up to 1,024 entries for the whole JVM. */
  private static final Pattern OWN_AND_CLIENTS =
      Pattern.compile(
          "(\\[+L)?(io\\.mortise|io\\.lettuce|redis\\.clients)\\.(?!.*InternCache\\$Entry).*");

  LifeDuties(BackendConformance suite) {
    super(suite);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B17")
  @DisplayName("B17: after close, which may be repeated, calls fail with NOT_EXECUTED")
  void afterCloseCallsFail(Way way) {
    LockBackend staying = open();
    LockBackend backend = open();
    String key = name("n");
    backend.execute(increment(key));
    backend.close();
    backend.close();
    BackendException error =
        assertThrows(BackendException.class, () -> way.call(backend, increment(key)));
    assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
    assertEquals(List.of(2L), staying.execute(increment(key)));
  }

  @Test
  @Rule("B17")
  @DisplayName("B17: after close a subscription is refused")
  void afterCloseNothingIsSubscribed() {
    LockBackend backend = open();
    backend.close();
    Recorder recorder = new Recorder();
    try {
      backend.subscribe(name("channel"), recorder);
      recorder.awaitSigns("-");
    } catch (BackendException e) {
      assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    }
  }

  @Test
  @Rule("B17")
  @DisplayName("B17: closing ends a backend's subscriptions and no other backend's")
  void closingEndsOwnSubscriptions() {
    LockBackend closing = open();
    LockBackend staying = open();
    Recorder ended = new Recorder();
    Recorder kept = new Recorder();
    closing.subscribe(name("channel"), ended);
    staying.subscribe(name("channel"), kept);
    ended.awaitSigns("+");
    kept.awaitSigns("+");
    closing.close();
    publish(staying, name("channel"), "late");
    kept.awaitMessage("late");
    assertEquals(List.of(), ended.messages());
  }

  @Test
  @Rule({"B1", "B17"})
  @DisplayName("B17: calls during a close reply or report their outcome; none hangs")
  void closingUnderLoad() throws InterruptedException {
    LockBackend staying = open();
    LockBackend backend = open();
    AtomicInteger replies = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    ScriptCall call = increment(name("n"));
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            8,
            number -> {
              Way way = Way.turn(number);
              while (callUntilClosed(way, backend, call, unknown)) {
                replies.incrementAndGet();
              }
            });
    Await.until("calls are under way", () -> replies.get() > 50);
    backend.close();
    crew.join(Duration.ofSeconds(30));
    long ran = (Long) staying.execute(call).get(0) - 1;
    assertTrue(
        replies.get() <= ran && ran <= replies.get() + unknown.get(),
        () -> ran + " ran, " + replies + " were answered, " + unknown + " unknown");
  }

  private static boolean callUntilClosed(
      Way way, LockBackend backend, ScriptCall call, AtomicInteger unknown) {
    try {
      way.call(backend, call);
      return true;
    } catch (BackendException e) {
      assertFalse(e.outcome() == Outcome.REPLIED, e::toString);
      if (e.outcome() == Outcome.UNKNOWN) {
        unknown.incrementAndGet();
      }
      return false;
    }
  }

  @Test
  @Rule({"B17", "B19"})
  @DisplayName("B17: after close no thread of the backend is left")
  void noThreadIsLeft() {
    use(open());
    // Now the threads that a client keeps for the whole JVM exist.
    Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
    for (int i = 0; i < 3; i++) {
      use(open());
    }
    Await.until(
        () -> "threads left: " + newThreads(before),
        Await.patience(),
        () -> newThreads(before).isEmpty());
  }

  @Test
  @Rule({"B17", "L15"})
  @DisplayName("B17: when close returns, nothing of a service is left: no thread and no reference")
  void nothingIsLeftWhenCloseReturns() {
    use(open());
    Remains remains = new Remains();
    WeakReference<LockService> gone = usedAndClosed();
    remains.assertNoThread();
    Remains.assertForgotten(gone);
  }

  /** A method of its own, so that no variable refers to the service afterwards. */
  private WeakReference<LockService> usedAndClosed() {
    LockBackend backend = suite().open();
    LockService service = LockService.builder().backend(backend).open();
    service.getLock(name("used")).lock();
    service.getLock(name("used")).unlock();
    Recorder recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    for (Way way : Way.values()) {
      way.call(backend, echo("x"));
    }
    service.close();
    return new WeakReference<>(service);
  }

  @Test
  @Rule({"B17", "B19"})
  @DisplayName("B17: many openings and closings leave no thread, and no object for each of them")
  void manyOpeningsLeaveNothing(Figures figures) {
    use(open());
    Remains remains = new Remains();
    openAndClose();
    Map<String, Long> before = Remains.instances(OWN_AND_CLIENTS);
    openAndClose();
    Await.until(
        () -> "threads left: " + remains.threads(),
        Await.patience(),
        () -> remains.threads().isEmpty());
    Await.until(
        () -> "more objects after %d more openings: %s".formatted(HALF, grown(before)),
        Await.patience(),
        () -> grown(before).isEmpty());
    Map<String, Long> after = Remains.instances(OWN_AND_CLIENTS);
    figures.add(
        "objects of Mortise and of clients after %d and %d openings".formatted(HALF, 2 * HALF),
        sum(before) + " and " + sum(after));
  }

  private void openAndClose() {
    List<WeakReference<LockService>> gone = new ArrayList<>();
    for (int i = 0; i < HALF; i++) {
      gone.add(usedAndClosed());
    }
    gone.forEach(Remains::assertForgotten);
  }

  /** The classes that have an object more for about each second opening. */
  private static Map<String, Long> grown(Map<String, Long> before) {
    Map<String, Long> grown = new TreeMap<>(Remains.instances(OWN_AND_CLIENTS));
    grown.replaceAll((type, count) -> count - before.getOrDefault(type, 0L));
    grown.values().removeIf(more -> more < HALF / 2);
    return grown;
  }

  private static long sum(Map<String, Long> instances) {
    return instances.values().stream().mapToLong(Long::longValue).sum();
  }

  private void use(LockBackend backend) {
    Recorder recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    for (Way way : Way.values()) {
      way.call(backend, echo("x"));
    }
    backend.close();
  }

  private static Set<Thread> newThreads(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive())
        .filter(thread -> !belongsToTheJvm(thread))
        .collect(Collectors.toSet());
  }

  /** Pools that the JVM grows by itself. */
  private static boolean belongsToTheJvm(Thread thread) {
    return thread
        .getName()
        .matches("ForkJoinPool.*|CompletableFutureDelayScheduler|process reaper.*|VirtualThread.*");
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: an open backend knows its endpoint and the server's version, always the same")
  void knowsItsStore() {
    LockBackend backend = open();
    assertEquals(backend.info(), backend.info());
    assertFalse(backend.info().endpoint().isBlank());
    assertTrue(
        backend.info().serverVersion().matches("\\d+\\.\\d+.*"), backend.info()::serverVersion);
    assertTrue(
        backend.toString().contains(backend.info().endpoint()),
        () -> "toString shows the endpoint: " + backend);
  }

  @Test
  @Rule("B21")
  @DisplayName("B21: the provider is public, found once by ServiceLoader, and of this SPI")
  void theProviderIsFound() throws NoSuchMethodException {
    LockBackendProvider provider = suite().provider();
    Class<?> type = provider.getClass();
    assertEquals(SpiVersion.CURRENT, provider.spiVersion());
    assertTrue(provider.name().matches("[a-z][a-z0-9-]*"), provider::name);
    assertFalse(provider.schemes().isEmpty());
    for (String scheme : provider.schemes()) {
      assertTrue(scheme.matches("[a-z][a-z0-9+.-]*"), scheme);
    }
    assertTrue(Modifier.isPublic(type.getModifiers()), type + " is public");
    assertTrue(Modifier.isPublic(type.getConstructor().getModifiers()));
    long found =
        ServiceLoader.load(LockBackendProvider.class).stream()
            .filter(candidate -> candidate.type() == type)
            .count();
    assertEquals(1, found, "entries of " + type + " in META-INF/services");
  }

  @Test
  @Rule("B21")
  @DisplayName("B21: a URI of a foreign scheme is an IllegalArgumentException")
  void aForeignUriIsRefused() {
    IllegalArgumentException error =
        assertThrows(
            IllegalArgumentException.class, () -> open(URI.create("no-such-scheme://host")));
    assertNotNull(error.getMessage());
  }
}
