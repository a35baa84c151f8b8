package io.mortise.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on conformance says which build runs each class of the kit, on each backend. */
class GroupTableTest {
  private static final List<String> BACKENDS =
      List.of("backend-inmemory", "backend-jedis", "backend-lettuce");

  /** The columns of the table, as the first words of the classes' names. */
  private static final List<String> COLUMNS =
      List.of(
          "InMemory",
          "MovedTime",
          "Jedis",
          "Lettuce",
          "JedisCluster",
          "LettuceCluster",
          "JedisSentinel",
          "LettuceSentinel");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `…(\\w+Test)`: [^|]*\\|(.*)\\|$");
  private static final Pattern TAG = Pattern.compile("(?m)^@Tag\\(\"(ci|all)\"\\)");

  /** The build that runs a class: the one without an option, or that of its tag. */
  private static Map<String, String> classes() throws IOException {
    Map<String, String> builds = new TreeMap<>();
    for (String backend : BACKENDS) {
      try (Stream<Path> files = Files.walk(Path.of("..", backend, "src", "test", "java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith("Test.java")).toList()) {
          Matcher tag = TAG.matcher(Files.readString(file));
          String name = String.valueOf(file.getFileName()).replace(".java", "");
          builds.put(name, tag.find() ? tag.group(1) : "verify");
        }
      }
    }
    return builds;
  }

  @Test
  void theTableHasTheTagsOfTheClasses() throws IOException {
    Map<String, String> builds = classes();
    Map<String, String> expected = new TreeMap<>();
    Map<String, String> written = new TreeMap<>();
    Matcher row = ROW.matcher(Files.readString(Path.of("../docs/conformance.md")));
    while (row.find()) {
      List<String> cells = Arrays.stream(row.group(2).split("\\|", -1)).map(String::strip).toList();
      assertEquals(COLUMNS.size(), cells.size(), row::group);
      for (int i = 0; i < cells.size(); i++) {
        String name = COLUMNS.get(i) + row.group(1);
        written.put(name, cells.get(i));
        expected.put(name, builds.getOrDefault(name, ""));
      }
    }
    assertTrue(written.size() > 100, written::toString);
    assertEquals(expected, written);
  }

  /** A class of the kit without a row would run somewhere, and no reader would know. */
  @Test
  void everyClassOfTheKitHasARow() throws IOException {
    String page = Files.readString(Path.of("../docs/conformance.md"));
    List<String> missing =
        classes().keySet().stream()
            .filter(name -> COLUMNS.stream().anyMatch(name::startsWith))
            .filter(name -> !hasRow(page, name))
            .toList();
    assertEquals(List.of(), missing);
  }

  private static boolean hasRow(String page, String name) {
    return COLUMNS.stream()
        .filter(name::startsWith)
        .anyMatch(column -> page.contains("`…" + name.substring(column.length()) + "`"));
  }
}
