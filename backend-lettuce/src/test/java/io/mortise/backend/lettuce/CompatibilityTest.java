package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.TestedVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The compatibility page lists exactly the tested versions. */
class CompatibilityTest {
  private static final List<TestedVersion> ROWS =
      TestedVersion.of(Path.of("../docs/compatibility.md"), "Lettuce");

  private static List<String> testedBy(String test) {
    return ROWS.stream()
        .filter(row -> row.tests().contains(test))
        .map(TestedVersion::version)
        .toList();
  }

  private static String property(String name) throws IOException {
    Matcher value =
        Pattern.compile('<' + name + ">([^<]+)</").matcher(Files.readString(Path.of("../pom.xml")));
    assertTrue(value.find(), name);
    return value.group(1).replace(".RELEASE", "");
  }

  @Test
  void theTableHasTheVersionsThatAreLinkedAndSmoked() {
    List<String> here = LinkageTest.versions().stream().map(ClientJar::version).toList();
    assertEquals(here, testedBy("links"));
    assertEquals(here, testedBy("smoke"));
    assertEquals(here, ROWS.stream().map(TestedVersion::version).toList());
  }

  @Test
  void theKitRunsOnTheOldestAndTheNewest() throws IOException {
    List<String> kit = List.of(property("lettuce.oldest"), property("lettuce.version"));
    assertEquals(kit, testedBy("kit"));
    String running = RedisClient.class.getProtectionDomain().getCodeSource().toString();
    assertTrue(kit.stream().anyMatch(version -> running.contains("-" + version)), running);
  }
}
