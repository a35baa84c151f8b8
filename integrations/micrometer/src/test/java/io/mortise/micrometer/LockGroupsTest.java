package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockGroupsTest {
  @ParameterizedTest
  @CsvSource({
    "orders:42, orders",
    "orders/42, orders",
    "orders42, orders",
    "orders-42, orders",
    "orders, orders",
    "orders:eu:42, orders",
    "{orders}:42, {orders}",
    "orders{42}, orders",
    "42, other",
    ":42, other",
    "other:1, other"
  })
  void aPrefixEndsWhereNamesBeginToDiffer(String name, String group) {
    assertEquals(group, LockGroups.prefixes().of(name));
  }

  @Test
  void namesBeyondTheBoundAreInTheGroupOther() {
    LockGroups groups = LockGroups.prefixes(2);

    assertEquals("a", groups.of("a:1"));
    assertEquals("b", groups.of("b:1"));
    assertEquals("other", groups.of("c:1"));
    assertEquals("a", groups.of("a:2"), "a group that is known stays");
    assertEquals("other", groups.of("d:1"));
  }

  @Test
  void manyThreadsDoNotExceedTheBound() {
    LockGroups groups = LockGroups.prefixes(10);

    List<String> seen =
        IntStream.range(0, 100_000)
            .parallel()
            .mapToObj(i -> groups.of(Character.toString('a' + i % 1000) + "x:1"))
            .toList();

    Set<String> distinct = new HashSet<>(seen);
    assertTrue(distinct.remove("other"));
    assertEquals(10, distinct.size());
  }

  @Test
  void oneGroupForAllNames() {
    assertEquals("none", LockGroups.none().of("orders:42"));
    assertEquals("none", LockGroups.of("none", 5).of("jobs"));
  }

  @Test
  void theFirstPatternThatFitsTheWholeNameIsTheGroup() {
    LockGroups groups = LockGroups.of("orders:*, *:report, a.c", 3);

    assertEquals("orders:*", groups.of("orders:report"));
    assertEquals("*:report", groups.of("daily:report"));
    assertEquals("other", groups.of("daily:report:2"));
    assertEquals("a.c", groups.of("a.c"));
    assertEquals("other", groups.of("abc"), "only * stands for other text");
  }

  private static void assertRefused(String part, Executable makes) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, makes).getMessage());
    assertTrue(message.contains(part), message);
  }

  @Test
  void groupsWithoutABoundAreRefused() {
    assertRefused("without a bound", () -> LockGroups.patterns(List.of("a*"), 0));
    assertRefused("without a bound", () -> LockGroups.of("a*,b*", -1));
    assertRefused("without a bound", () -> LockGroups.prefixes(0));
  }

  @Test
  void patternsThatCannotBeMeantAreRefused() {
    assertRefused("2 patterns are more than max-groups 1", () -> LockGroups.of("a*,b*", 1));
    assertRefused("no patterns", () -> LockGroups.patterns(List.of(), 1));
    assertRefused("blank", () -> LockGroups.of("a*,", 5));
    assertRefused("twice", () -> LockGroups.of("a*,a*", 5));
  }
}
