package io.mortise.conformance.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What something that was closed has left behind. It knows the threads that were there before. */
public final class Remains {
  /** Threads that belong to the JVM or to the kit, and are shared by all that run in it. */
  private static final String SHARED =
      "ForkJoinPool.*|CompletableFutureDelayScheduler|process reaper.*|VirtualThread.*"
          + "|mortise-timer|globalEventExecutor.*|mortise-proxy.*|Common-Cleaner|Keep-Alive.*";

  private final Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());

  /** Notes the threads that are there now. */
  public Remains() {}

  /**
   * The threads that were not there before, but for the shared ones.
   *
   * @return each with its name and where it is
   */
  public List<String> threads() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> !before.contains(each.getKey()) && each.getKey().isAlive())
        .filter(each -> !each.getKey().getName().matches(SHARED))
        .map(each -> each.getKey().getName() + List.of(each.getValue()))
        .toList();
  }

  /** Fails if there is a new thread at this moment. */
  public void assertNoThread() {
    assertEquals(List.of(), threads());
  }

  /**
   * Fails if something still refers to the object.
   *
   * @param gone a weak reference
   */
  public static void assertForgotten(Reference<?> gone) {
    Await.until(
        "nothing refers to it",
        Duration.ofSeconds(5),
        () -> {
          System.gc();
          return gone.get() == null;
        });
  }
}
