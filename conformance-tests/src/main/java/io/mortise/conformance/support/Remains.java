package io.mortise.conformance.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/** What something that was closed has left behind. It knows the threads that were there before. */
public final class Remains {
  /** Threads that belong to the JVM or to the kit, and are shared by all that run in it. */
  private static final String SHARED =
      "ForkJoinPool.*|CompletableFutureDelayScheduler|process reaper.*|VirtualThread.*"
          + "|mortise-timer|globalEventExecutor.*|mortise-proxy.*|Common-Cleaner|Keep-Alive.*";

  /** Rank, instances, bytes and class. */
  private static final Pattern LINE = Pattern.compile("(?m)^ *\\d+: +(\\d+) +\\d+ +(\\S+)");

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

  /**
   * Counts what is left in memory after a collection.
   *
   * @param types the names of the classes, as the JVM writes them
   * @return the number of objects by the name of their class
   */
  public static Map<String, Long> instances(Pattern types) {
    Map<String, Long> counts = new HashMap<>();
    String histogram = histogram();
    for (Matcher line = LINE.matcher(histogram); line.find(); ) {
      if (types.matcher(line.group(2)).matches()) {
        counts.merge(line.group(2), Long.valueOf(line.group(1)), Long::sum);
      }
    }
    return counts;
  }

  private static String histogram() {
    try {
      Object text =
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
      return String.valueOf(text);
    } catch (JMException e) {
      throw new IllegalStateException("this JVM counts no objects", e);
    }
  }
}
