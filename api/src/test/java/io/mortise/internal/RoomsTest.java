package io.mortise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packages of the implementation and their dependencies, which go one way. */
class RoomsTest {
  private static final Path ROOMS = Path.of("src/main/java/io/mortise/internal");

  /** Each package may use those before it in this list, and the exported package. */
  private static final List<String> ORDER =
      List.of("concurrent", "wire", "discovery", "told", "engine", "lock", "composite");

  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?io\\.mortise\\.internal\\.(\\w+)\\.", Pattern.MULTILINE);

  private static final Pattern IMPORTED =
      Pattern.compile("^import io\\.mortise\\.internal\\.([\\w.]+);", Pattern.MULTILINE);

  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

  private static final Pattern TYPE = Pattern.compile("(?<![\\w.])([A-Z]\\w*)");

  @Test
  void arrowsBetweenRoomsPointOneWay() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String room : ORDER) {
      for (Map.Entry<String, String> file : sources(room).entrySet()) {
        Matcher imported = IMPORT.matcher(file.getValue());
        while (imported.find()) {
          String other = imported.group(1);
          if (ORDER.indexOf(other) > ORDER.indexOf(room)) {
            wrong.add("%s.%s uses %s".formatted(room, file.getKey(), other));
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void theWireAndTheEngineDoNotKnowHowABackendIsFound() throws IOException {
    for (String room : List.of("wire", "engine")) {
      sources(room)
          .forEach((name, text) ->
              assertFalse(text.contains("io.mortise.internal.discovery"), room + '.' + name));
    }
  }

  /** How many classes of a room may go in circles. It may only fall. */
  private static final Map<String, Integer> IN_CIRCLES = Map.of("lock", 4);

  @ParameterizedTest
  @ValueSource(strings = {"concurrent", "wire", "discovery", "told", "engine", "lock", "composite"})
  void noMoreClassesOfARoomGoInACircle(String room) throws IOException {
    Map<String, Set<String>> uses = uses(sources(room));
    Set<String> circles = new TreeSet<>();
    for (String name : uses.keySet()) {
      if (reachable(name, uses).contains(name)) {
        circles.add(name);
      }
    }
    assertEquals(
        IN_CIRCLES.getOrDefault(room, 0),
        circles.size(),
        "these classes use each other in a circle; if they are fewer than before, lower the limit: "
            + circles);
  }

  @Test
  void noClassOfTheEngineKnowsTheOneThatPutsItTogether() throws IOException {
    uses(sources("engine"))
        .forEach((name, used) -> assertFalse(used.contains("Engine"), name + " uses Engine"));
  }

  /** So that it stays what any application could write: it has no part in the engine. */
  @Test
  void anElectionUsesLeasesTheTimeAndTheExecutorOfItsLock() throws IOException {
    Map<String, String> composite = sources("composite");
    Set<String> used = new TreeSet<>();
    for (String each : List.of("Election", "Term")) {
      Matcher imported = IMPORTED.matcher(String.valueOf(composite.get(each)));
      while (imported.find()) {
        used.add(imported.group(1));
      }
    }
    assertEquals(
        Set.of(
            "concurrent.Backoff",
            "concurrent.Futures",
            "concurrent.Trampoline",
            "lock.Member",
            "lock.MemberHandle",
            "wire.Names"),
        used);
    uses(composite)
        .forEach((name, others) ->
            assertFalse(others.contains("Election") && !name.equals("Election"), name));
  }

  private static Map<String, Set<String>> uses(Map<String, String> sources) {
    Map<String, Set<String>> uses = new TreeMap<>();
    sources.forEach((name, text) -> {
      Set<String> used = new TreeSet<>();
      Matcher type = TYPE.matcher(COMMENT_OR_TEXT.matcher(text).replaceAll(""));
      while (type.find()) {
        String other = type.group(1);
        if (sources.containsKey(other) && !other.equals(name)) {
          used.add(other);
        }
      }
      uses.put(name, used);
    });
    return uses;
  }

  private static Set<String> reachable(String from, Map<String, Set<String>> uses) {
    Set<String> seen = new HashSet<>();
    List<String> next = new ArrayList<>(uses.getOrDefault(from, Set.of()));
    while (!next.isEmpty()) {
      String name = next.remove(next.size() - 1);
      if (seen.add(name)) {
        next.addAll(uses.getOrDefault(name, Set.of()));
      }
    }
    return seen;
  }

  /** The classes of a package by name, without package-info. */
  private static Map<String, String> sources(String room) throws IOException {
    Map<String, String> sources = new TreeMap<>();
    try (Stream<Path> files = Files.list(ROOMS.resolve(room))) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        if (!name.equals("package-info")) {
          sources.put(name, Files.readString(file));
        }
      }
    }
    assertFalse(sources.isEmpty(), room);
    return sources;
  }
}
