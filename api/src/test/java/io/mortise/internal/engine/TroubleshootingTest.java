package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every page anchor in an exception message or a log line exists. */
class TroubleshootingTest {
  private static final Pattern POINTER = Pattern.compile("docs/troubleshooting\\.md#([a-z-]+)");
  private static final List<String> MODULES =
      List.of(
          "api", "backend-inmemory", "backend-jedis", "backend-lettuce", "backend-support", "cli");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([a-z-]+)\">");

  @Test
  void everyPlaceAMessagePointsToExists() throws IOException {
    Set<String> pointers = new TreeSet<>();
    for (String module : MODULES) {
      try (Stream<Path> sources = Files.walk(Path.of("..", module, "src/main/java"))) {
        for (Path source : sources.filter(path -> path.toString().endsWith(".java")).toList()) {
          collect(POINTER, source, pointers);
        }
      }
    }
    Set<String> anchors = new TreeSet<>();
    collect(ANCHOR, Path.of("../docs/troubleshooting.md"), anchors);

    assertFalse(pointers.isEmpty());
    Set<String> missing = new TreeSet<>(pointers);
    missing.removeAll(anchors);
    assertEquals(Set.of(), missing);
  }

  private static void collect(Pattern pattern, Path file, Set<String> found) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(file));
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
  }
}
