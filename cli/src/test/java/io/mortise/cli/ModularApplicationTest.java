package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application on the module path that requires the API and has one backend beside it, which it
 * may require too. It uses no other option of the JVM. So a module is present only if another
 * module requires it, and what is required by {@code static transitive} would have to be there.
 */
@Tag("all")
class ModularApplicationTest {
  private static final String MAIN =
      """
      package shop;

      public class Main {
        public static void main(String[] uri) {
          try (var service = io.mortise.LockService.open(uri[0])) {
            var lock = service.getLock("orders");
            lock.lock();
            System.out.println("locked " + lock.isHeldByCurrentThread());
            lock.unlock();
          }
        }
      }
      """;

  /** The parts of the tests' class path that an application with this backend has. */
  private static final String EVERY = "mortise-(api|spi)|/(api|spi)/target|slf4j|jspecify";

  private static final String REDIS = EVERY + "|backend-support|";

  @TempDir Path folder;

  @Test
  @DisplayName(
      "With Lettuce: the backend requires the modules that Lettuce needs and does not declare")
  void withLettuce() throws Exception {
    locksOnRedis(
        "lettuce", REDIS + "backend-lettuce|lettuce-core|netty|reactor|reactive|redis-authx");
  }

  @Test
  @DisplayName("With Jedis")
  void withJedis() throws Exception {
    locksOnRedis("jedis", REDIS + "backend-jedis|/jedis-|commons-pool2|gson|/json-|redis-authx");
  }

  private void locksOnRedis(String backend, String jars) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      locks(backend, jars, "luaj", server.uri().toString());
    }
  }

  @Test
  @DisplayName("In memory, with LuaJ on the class path, which cannot be a module")
  void inMemory() throws Exception {
    locks("inmemory", EVERY + "|backend-inmemory", "luaj", "memory:shop");
  }

  private void locks(String backend, String modules, String classes, String uri) throws Exception {
    Path sources = Files.createDirectories(folder.resolve("src/shop"));
    Files.writeString(sources.resolve("Main.java"), MAIN);
    String path = jars(modules);
    compile(path, "requires io.mortise.api; requires io.mortise.backend." + backend + ';');
    Path application = compile(path, "requires io.mortise.api;");
    String said =
        run(
            "java",
            List.of("--module-path", path + File.pathSeparator + application),
            "--class-path",
            jars(classes),
            "--module",
            "shop/shop.Main",
            uri);
    assertTrue(said.contains("locked true"), said);
  }

  /** The classes of the application. All that its descriptor requires must be on the path. */
  private Path compile(String path, String requires) throws Exception {
    Path sources = folder.resolve("src");
    Path descriptor = sources.resolve("module-info.java");
    Files.writeString(descriptor, "module shop { " + requires + " }");
    Path application = folder.resolve("classes");
    run(
        "javac",
        List.of("--module-path", path, "-d", application.toString()),
        descriptor.toString(),
        sources.resolve("shop/Main.java").toString());
    return application;
  }

  private static String jars(String pattern) {
    Pattern any = Pattern.compile(pattern);
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(jar -> any.matcher(jar.replace(System.getProperty("user.home"), "")).find())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String run(String tool, List<String> options, String... arguments)
      throws IOException, InterruptedException {
    Path executable = Path.of(System.getProperty("java.home"), "bin", tool);
    Process process =
        new ProcessBuilder(
                Stream.of(List.of(executable.toString()), options, List.of(arguments))
                    .flatMap(List::stream)
                    .toList())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    return output;
  }
}
