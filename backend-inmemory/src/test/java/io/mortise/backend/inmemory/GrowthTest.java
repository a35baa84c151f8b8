package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Twice the work costs about twice the steps, for each operation and each job. */
@Tag("ci")
class GrowthTest implements BackendUnderTest {
  private static final int SMALLEST = 32;
  private static final int DOUBLINGS = 3;
  private static final double MOST = 2.2;

  /** Steps that do not grow, and of which a few come or not with the order of threads. */
  private static final int ONCE = 50;

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  /** The page has a row for each, so that a reader finds what was doubled. */
  @Test
  @Rule("L19")
  void thePageListsWhatIsDoubled() throws ReflectiveOperationException, IOException {
    List<String> listed =
        Files.readAllLines(Path.of("../docs/growth.md")).stream()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| what"))
            .map(line -> line.substring(2, line.length() - 2).replace(" | ", ": "))
            .toList();
    assertEquals(List.copyOf(rows().keySet()), listed);
  }

  @TestFactory
  @Rule("L19")
  Stream<DynamicTest> twiceTheWorkCostsAboutTwiceTheSteps() throws ReflectiveOperationException {
    return rows().entrySet().stream()
        .map(row -> DynamicTest.dynamicTest(row.getKey(), () -> check(row.getValue())));
  }

  private static void check(IntFunction<long[]> work) {
    long[] unused = work.apply(1); // what happens once in a JVM
    long[] before = work.apply(SMALLEST);
    StringBuilder seen = new StringBuilder("steps and commands: ").append(text(before));
    double worst = 0;
    int size = SMALLEST;
    for (int i = 0; i < DOUBLINGS; i++) {
      size *= 2;
      long[] now = work.apply(size);
      seen.append(", ").append(size).append(": ").append(text(now));
      for (int each = 0; each < now.length; each++) {
        worst = Math.max(worst, (double) (now[each] - ONCE) / Math.max(1, before[each]));
      }
      before = now;
    }
    assertTrue(worst <= MOST, "%.2f times as much: %s".formatted(worst, seen));
  }

  private static String text(long[] counts) {
    return counts[0] + "/" + counts[1];
  }

  @SuppressWarnings("unchecked") // the class says what it supplies
  private static Map<String, IntFunction<long[]>> rows() throws ReflectiveOperationException {
    CountingLoader loader =
        new CountingLoader(
            name -> name.startsWith("io.mortise.internal."),
            LockService.class,
            LockBackend.class,
            InMemoryStore.class,
            GrowthTest.class);
    Object work =
        loader.loadClass(DoubledWork.class.getName()).getDeclaredConstructor().newInstance();
    return ((Supplier<Map<String, IntFunction<long[]>>>) work).get();
  }
}
