package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * What Maven resolves for an application that has a Jedis of its own, before or behind ours. Jedis
 * brings SLF4J 1.7, and with that all warnings of Mortise vanish.
 */
@Tag("all")
class DependencyOrderTest {
  private static final Path FOLDER = Path.of("target/applications").toAbsolutePath();
  private static final List<String> MODULES =
      List.of("bom", "spi", "api", "backend-support", "conformance-tests", "backend-jedis");

  private static final String JEDIS = dependency("redis.clients:jedis", fact("jedis"), "");
  private static final String OURS =
      dependency("io.mortise:mortise-api", fact("project"), "")
          + dependency("io.mortise:mortise-backend-jedis", fact("project"), "");
  private static final String BOM =
      "<dependencyManagement><dependencies>"
          + dependency(
              "io.mortise:mortise-bom", fact("project"), "<type>pom</type><scope>import</scope>")
          + "</dependencies></dependencyManagement>";

  /** What the build tells its tests; empty where no build runs them. */
  private static String fact(String name) {
    return System.getProperty("mortise.build." + name, "");
  }

  private static String dependency(String name, String version, String more) {
    String[] parts = name.split(":", 2);
    return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s</dependency>"
        .formatted(parts[0], parts[1], version, more);
  }

  private static void write(String name, String content) throws IOException {
    Path folder = Files.createDirectories(FOLDER.resolve(name));
    Files.writeString(
        folder.resolve("pom.xml"),
        "<project><modelVersion>4.0.0</modelVersion><groupId>it</groupId><artifactId>app-%s</artifactId><version>1</version>%s</project>"
            .formatted(name.isEmpty() ? "all" : name, content));
  }

  private static void application(String name, String management, String dependencies)
      throws IOException {
    write(name, management + "<dependencies>" + dependencies + "</dependencies>");
  }

  @Test
  void underTheBomBothOrdersHaveTheSlf4jOfMortise() throws Exception {
    assumeTrue(!fact("maven").isEmpty(), "no Maven runs this test");
    application("first", BOM, JEDIS + OURS);
    application("last", BOM, OURS + JEDIS);
    application("without", "", JEDIS + OURS);
    StringBuilder modules = new StringBuilder("<packaging>pom</packaging><modules>");
    MODULES.forEach(each -> modules.append("<module>../../../%s</module>".formatted(each)));
    List.of("first", "last", "without")
        .forEach(each -> modules.append("<module>%s</module>".formatted(each)));
    write("", modules.append("</modules>").toString());

    String tree = maven();

    assertFalse(tree.contains("is missing"), tree);
    String ours = LoggerFactory.class.getPackage().getImplementationVersion();
    assertEquals(ours, slf4j(tree, "first"), tree);
    assertEquals(ours, slf4j(tree, "last"), tree);
    assertTrue(slf4j(tree, "without").startsWith("1.7."), tree);
  }

  private static String maven() throws IOException, InterruptedException {
    String version =
        first(
            Files.readString(Path.of("../pom.xml")),
            "maven-dependency-plugin</artifactId>\\s*<version>(.*?)<");
    Path log = FOLDER.resolve("maven.log");
    ProcessBuilder maven =
        new ProcessBuilder(
                fact("maven") + "/bin/mvn",
                "-B",
                "-T1",
                "-Dmaven.repo.local=" + fact("repository"),
                "-Dincludes=org.slf4j:slf4j-api",
                "org.apache.maven.plugins:maven-dependency-plugin:%s:tree".formatted(version),
                "-pl",
                ":app-first,:app-last,:app-without",
                "-am")
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = maven.start();
    try {
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), "Maven has not ended");
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(log);
    assertEquals(0, process.exitValue(), said);
    return said;
  }

  private static String slf4j(String tree, String application) {
    return first(tree, "it:app-" + application + ":jar:1\\n.*?slf4j-api:jar:([\\d.]+)");
  }

  private static String first(String text, String pattern) {
    return Pattern.compile(pattern, Pattern.DOTALL)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElse("none");
  }
}
