package io.mortise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LockService;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What is too large today may only become smaller. Each limit is today's number: also a smaller one
 * fails, until the limit here is lowered too.
 */
class RatchetTest {
  private static final Path ROOT = Path.of("..");
  private static final Path KIT = ROOT.resolve("conformance-tests/src/main/java");

  /** Words that the glossary has replaced, and how many names of the product still have them. */
  private static final Map<String, Integer> RETIRED_WORDS =
      Map.of("line", 6, "turn", 4, "inside", 1, "claim", 1, "feed", 0);

  private static final Pattern PLURAL_OR_PAST = Pattern.compile("(?<=line|turn|claim|feed)(s|ed)$");

  /** How many classes of the API may run in a call of a method of a lock. */
  private static final Map<String, Integer> CLASSES_BEHIND =
      Map.of(
          "lock", 75,
          "lock, five calls deep", 34,
          "unlock", 72,
          "acquire", 75);

  @Test
  void noFileHasMoreThan450Lines() throws IOException {
    check(Map.of(), above(450, all(false).lines), "lines");
  }

  /** A test of the kit stays with those of its subject, and it may become longer to be truer. */
  @Test
  void noFileOfTheKitHasMoreThan500Lines() throws IOException {
    check(Map.of(), above(500, Sources.below(List.of(KIT)).lines), "lines");
  }

  @Test
  void noTypeHasMoreThan18Fields() throws IOException {
    check(Map.of(), above(18, all(true).fields), "fields");
  }

  @Test
  void noMethodHasMoreThan40Lines() throws IOException {
    check(Map.of(), above(40, all(true).methods), "lines");
  }

  @Test
  void noMethodHasMoreThan5Parameters() throws IOException {
    check(Map.of(), above(5, all(true).parameters), "parameters");
  }

  @Test
  void noNameGetsARetiredWord() throws IOException {
    Map<String, Set<String>> found = new TreeMap<>();
    RETIRED_WORDS.keySet().forEach(word -> found.put(word, new TreeSet<>()));
    for (String name : Sources.below(product()).names) {
      for (String word : name.split("(?<=[a-z0-9])(?=[A-Z])|_", 0)) {
        Set<String> names = found.get(stem(word));
        if (names != null) {
          names.add(name);
        }
      }
    }
    Map<String, Integer> now = new TreeMap<>();
    found.forEach((word, names) -> now.put(word, names.size()));
    check(RETIRED_WORDS, now, "names with this word; now " + found);
  }

  private static String stem(String word) {
    return PLURAL_OR_PAST.matcher(word.toLowerCase(Locale.ROOT)).replaceAll("");
  }

  @Test
  void noMoreClassesAreReachableFromALock() throws Exception {
    URI classes = LockService.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    CallGraph graph = CallGraph.of(Path.of(classes));
    Map<String, Integer> now = new TreeMap<>();
    now.put("lock", behind(graph, "lock()V", Integer.MAX_VALUE));
    now.put("lock, five calls deep", behind(graph, "lock()V", 5));
    now.put("unlock", behind(graph, "unlock()V", Integer.MAX_VALUE));
    now.put("acquire", behind(graph, "acquire()Lio/mortise/Lease;", Integer.MAX_VALUE));
    check(CLASSES_BEHIND, now, "classes");
  }

  private static int behind(CallGraph graph, String signature, int most) {
    String owner = "io/mortise/internal/lock/LockHandle";
    return graph.reachable(new CallGraph.Method(owner, signature), most).size();
  }

  private static Map<String, Integer> above(int limit, Map<String, Integer> all) {
    Map<String, Integer> large = new TreeMap<>(all);
    large.values().removeIf(each -> each <= limit);
    return large;
  }

  private static void check(Map<String, Integer> limits, Map<String, Integer> now, String unit) {
    Set<String> names = new TreeSet<>(limits.keySet());
    names.addAll(now.keySet());
    List<String> wrong = new ArrayList<>();
    for (String each : names) {
      int limit = limits.getOrDefault(each, 0);
      int found = now.getOrDefault(each, 0);
      if (found > limit) {
        wrong.add("%s has %d %s, at most %d are allowed".formatted(each, found, unit, limit));
      } else if (found < limit) {
        wrong.add(
            "%s is smaller than its limit of %d; lower it to %s"
                .formatted(each, limit, found == 0 ? "nothing: remove it" : found));
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static Sources all(boolean kit) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path folder : List.of(ROOT, ROOT.resolve("integrations"), ROOT.resolve("samples"))) {
      // No walk: files in the folders of modules come and go while their tests run.
      for (File module : Objects.requireNonNull(folder.toFile().listFiles())) {
        Path sources = module.toPath().resolve("src/main/java");
        if (Files.isDirectory(sources) && (kit || !sources.equals(KIT))) {
          found.add(sources);
        }
      }
    }
    return Sources.below(found);
  }

  private static List<Path> product() {
    return Stream.of("api", "spi", "backend-support", "backend-jedis", "backend-lettuce")
        .map(each -> ROOT.resolve(each + "/src/main/java"))
        .toList();
  }
}
