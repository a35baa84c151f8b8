package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The page docs/protocol.md has the results of the model as it is now. They follow from the sources
 * alone, so nobody has to explore the states again until the sources change.
 */
class PageTest {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path PAGE = Path.of("../docs/protocol.md");

  @Test
  void theTablesAreOfTheseSources() throws IOException, NoSuchAlgorithmException {
    String hash = hash();
    assertTrue(
        Files.readString(PAGE).contains("`" + hash + "`"),
        () ->
            "the model has changed: run mvn -pl model test -Dmortise.tests=all, correct the tables"
                + " of docs/protocol.md, and write the hash "
                + hash
                + " there");
  }

  @ParameterizedTest
  @EnumSource
  void everyScenarioHasARow(Scenario scenario) throws IOException {
    String row = "| %s | %s | ".formatted(scenario, scenario.text());
    assertTrue(Files.readString(PAGE).contains(row), () -> PAGE + " has no row " + row);
  }

  @ParameterizedTest
  @EnumSource
  void everyRuleIsBrokenByAMistake(Rule rule) throws IOException {
    assertTrue(Stream.of(Mistake.values()).anyMatch(each -> each.finder() == rule));
    assertTrue(Files.readString(PAGE).contains(" | " + rule + " | "), "and the page says so");
  }

  private static String hash() throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (Path file : files()) {
      digest.update(Files.readString(file).replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8));
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 8);
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(SOURCES)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
