package io.mortise.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The same class files pass on every supported version of JUnit. */
@Tag("all")
class JUnitVersionsTest {
  private static final Path JARS = Path.of("target/junits");
  private static final Pattern JUNIT = Pattern.compile("junit-(jupiter|platform)[-\\w]*");
  private static final Pattern RESULT =
      Pattern.compile("JUnit (\\S+): (\\d+) of (\\d+) tests passed");

  /** Each version of Jupiter, and that of its platform. */
  private static final List<List<String>> VERSIONS =
      List.of(List.of("5.12.2", "1.12.2"), List.of("6.0.3", "6.0.3"), List.of("6.1.3", "6.1.3"));

  @Test
  void thisBuildIsOnTheOldestVersion() {
    assertThat(Test.class.getPackage().getImplementationVersion()).startsWith("5.11.");
  }

  @TestFactory
  Stream<DynamicTest> theTestsOfThisModulePass() {
    return VERSIONS.stream()
        .map(each -> DynamicTest.dynamicTest("JUnit " + each.get(0), () -> passOn(each)));
  }

  private static void passOn(List<String> versions) throws IOException, InterruptedException {
    Path output = Path.of("target", "junit-" + versions.get(0) + ".txt");
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                classPath(versions),
                RunTests.class.getName(),
                LockWorldTest.class.getName(),
                MortiseExtensionTest.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(child.waitFor(120, TimeUnit.SECONDS), "the tests took more than 120 s");
    } finally {
      child.destroyForcibly();
    }
    String said = Files.readString(output, StandardCharsets.UTF_8);
    Matcher result = RESULT.matcher(said);
    assertTrue(result.find(), said);
    assertEquals(versions.get(0), result.group(1), said);
    assertEquals(result.group(3), result.group(2), said);
    assertThat(Integer.parseInt(result.group(2))).as(said).isGreaterThan(25);
  }

  /** The class path of this test with another JUnit. */
  private static String classPath(List<String> versions) throws IOException {
    Stream<String> others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !JUNIT.matcher(Path.of(entry).getFileName().toString()).lookingAt());
    try (Stream<Path> jars = Files.list(JARS)) {
      List<String> junit =
          jars.filter(jar -> versions.contains(version(jar)))
              .map(jar -> jar.toAbsolutePath().toString())
              .toList();
      assertEquals(6, junit.size(), junit::toString);
      return Stream.concat(junit.stream(), others).collect(Collectors.joining(File.pathSeparator));
    }
  }

  private static String version(Path jar) {
    return jar.getFileName().toString().replaceAll("junit-[a-z]+-[a-z]+-|\\.jar", "");
  }
}
