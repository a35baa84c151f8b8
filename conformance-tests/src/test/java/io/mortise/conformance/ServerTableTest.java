package io.mortise.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

/** The compatibility page names the servers and the tests that run on each of them. */
class ServerTableTest {
  private static String page() throws IOException {
    return Files.readString(Path.of("../docs/compatibility.md"));
  }

  private static boolean isMarked(Class<?> type) {
    return type.isAnnotationPresent(OnEachServer.class)
        || !ReflectionSupport.findMethods(
                type,
                method -> AnnotationSupport.isAnnotated(method, OnEachServer.class),
                HierarchyTraversalMode.TOP_DOWN)
            .isEmpty();
  }

  @Test
  void theTableHasTheMarkedTests() throws IOException {
    Set<String> marked =
        Stream.of("spi", "lock", "cluster")
            .map(room -> "io.mortise.conformance." + room)
            .flatMap(room ->
                ReflectionSupport.findAllClassesInPackage(
                    room, type -> type.getEnclosingClass() == null && isMarked(type), name -> true)
                    .stream())
            .map(Class::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    String section = page().replaceFirst("(?s).*## Each server\n(.*?)```sh.*", "$1");
    Set<String> named =
        Pattern.compile("`(\\w+(?:Duties|Rules|Conformance|CorpusTest))`")
            .matcher(section)
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(marked, named);
  }

  /** A server that the page does not have is seen as a skipped test. It fails no build. */
  @OnEachServer
  @Test
  void theServerHasARow() throws IOException {
    String info;
    try (RedisServer server = RedisServer.start()) {
      info = String.valueOf(server.command("INFO", "server"));
    }
    String product = info.contains("valkey_version:") ? "Valkey" : "Redis";
    String line = product.toLowerCase(Locale.ROOT) + "_version:";
    String version = info.replaceFirst("(?s).*" + line + "(\\d+\\.\\d+).*", "$1");
    String row = "| " + product + " | " + version;
    assumeTrue(page().contains(row), () -> "docs/compatibility.md has no row " + row);
  }
}
