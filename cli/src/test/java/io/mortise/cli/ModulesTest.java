package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.NoBackendException;
import io.mortise.ProviderInfo;
import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Requires.Modifier;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exports, requirements and services of each module: exactly these. */
class ModulesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> FOLDERS =
      List.of(
          "spi",
          "api",
          "backend-support",
          "backend-inmemory",
          "backend-jedis",
          "backend-lettuce",
          "integrations/junit",
          "cli");

  private static ModuleDescriptor descriptor(String folder) {
    return ModuleFinder.of(classes(folder)).findAll().iterator().next().descriptor();
  }

  private static Path classes(String folder) {
    return ROOT.resolve(folder).resolve("target").resolve("classes");
  }

  private static String text(Stream<String> names) {
    return String.join(" ", new TreeSet<>(names.collect(Collectors.toSet())));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "spi, io.mortise.spi, ''",
        "backend-support, io.mortise.backend.support io.mortise.backend.support.cluster"
            + " io.mortise.backend.support.sentinel, io.mortise.spi org.slf4j",
        "api, io.mortise, io.mortise.spi org.slf4j",
        "backend-inmemory, io.mortise.backend.inmemory, io.mortise.spi",
        "backend-jedis, io.mortise.backend.jedis,"
            + " io.mortise.backend.support io.mortise.spi org.apache.commons.pool2 redis.clients.jedis",
        "backend-lettuce, io.mortise.backend.lettuce,"
            + " io.mortise.backend.support io.mortise.spi io.netty.buffer io.netty.common io.netty.handler"
            + " io.netty.resolver.dns io.netty.transport lettuce.core org.slf4j reactor.core",
        "integrations/annotations, '', io.mortise.api org.slf4j",
        "integrations/junit, io.mortise.junit,"
            + " io.mortise.api io.mortise.backend.inmemory org.junit.jupiter.api",
        "cli, io.mortise.cli, info.picocli io.mortise.api io.mortise.backend.support io.mortise.spi"
            + " jdk.httpserver jdk.jfr jdk.unsupported",
      })
  void aModuleExportsAndRequiresExactlyThis(String folder, String exports, String requires) {
    ModuleDescriptor module = descriptor(folder);

    assertEquals(
        exports,
        text(
            module.exports().stream()
                .filter(each -> !each.isQualified())
                .map(ModuleDescriptor.Exports::source)));
    assertEquals(
        requires,
        text(
            module.requires().stream()
                .filter(each -> !each.modifiers().contains(Modifier.STATIC))
                .map(ModuleDescriptor.Requires::name)
                .filter(name -> !name.equals("java.base"))));
  }

  @Test
  void everyBackendProvidesItselfAndNoOtherModuleDoes() {
    for (String folder : FOLDERS) {
      Set<String> provided =
          descriptor(folder).provides().stream()
              .flatMap(each -> each.providers().stream())
              .collect(Collectors.toSet());
      boolean provider = folder.startsWith("backend-") && !folder.equals("backend-support");
      assertEquals(provider ? 1 : 0, provided.size(), folder + provided);
    }
    assertTrue(descriptor("api").uses().contains("io.mortise.spi.LockBackendProvider"));
  }

  @Test
  void onTheClassPathAllThreeAreFound() {
    assertEquals(
        "jedis lettuce memory", text(LockService.providers().stream().map(ProviderInfo::name)));
    assertTrue(
        LockService.providers().stream().allMatch(info -> info.problem().isEmpty()),
        LockService.providers().toString());
  }

  @Test
  void twoThatServeRedisAndNoneNamedIsAnError() {
    NoBackendException e =
        assertThrows(NoBackendException.class, () -> LockService.open("redis://localhost").close());

    for (String part : List.of("2 providers", "jedis", "lettuce", "memory", "open(uri, \"")) {
      assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }
  }

  @Test
  void onTheModulePathAllThreeAreFoundAndALockWorks() throws Exception {
    String providers = runAsModules("providers");
    for (String name : List.of("jedis", "lettuce", "memory")) {
      assertTrue(providers.lines().anyMatch(line -> line.startsWith(name)), providers);
    }

    String demo = runAsModules("demo", "--seconds", "1", "--workers", "2");
    assertTrue(demo.contains("with Mortise none"), demo);
  }

  /** Runs the command with all its modules on the module path, except LuaJ, which cannot be one. */
  private static String runAsModules(String... arguments) throws IOException, InterruptedException {
    List<String> jars =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> path.endsWith(".jar"))
            .toList();
    Stream<String> libraries =
        jars.stream()
            .filter(jar ->
                jar.matches(
                    ".*/(jedis|lettuce|netty|reactor|reactive|commons-pool2|gson|json|redis-authx|slf4j|picocli|jspecify)[^/]*\\.jar"));
    String modulePath =
        Stream.concat(
                FOLDERS.stream()
                    .filter(folder -> !folder.startsWith("integrations/"))
                    .map(folder -> classes(folder).toString()),
                libraries)
            .collect(Collectors.joining(File.pathSeparator));
    String classPath = jars.stream().filter(jar -> jar.contains("luaj")).findFirst().orElseThrow();
    Stream<String> command =
        Stream.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--module-path",
            modulePath,
            "--class-path",
            classPath,
            "--add-modules",
            "ALL-MODULE-PATH",
            "--module",
            "io.mortise.cli/io.mortise.cli.Main");
    Process process =
        new ProcessBuilder(Stream.concat(command, Stream.of(arguments)).toList())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    return output;
  }
}
