package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The exit codes in the code, the help and the page are the same. */
class ExitTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `(\\d+)` \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);

  @Test
  void thePageHasEveryExitCodeAndNoOther() throws IOException {
    Map<Integer, String> documented = new TreeMap<>();
    ROW.matcher(Files.readString(Path.of("../docs/command.md")))
        .results()
        .forEach(row -> documented.put(Integer.parseInt(row.group(1)), row.group(3).strip()));
    Map<Integer, String> coded = new TreeMap<>();
    Stream.of(Exit.values()).forEach(each -> coded.put(each.code(), each.meaning()));
    assertEquals(coded, documented);
  }

  @Test
  void theHelpHasThem() {
    String main = Invocation.of("--help").out();
    String run = Invocation.of("run", "--help").out();
    for (Exit each : Exit.values()) {
      String line = "%3d  %s".formatted(each.code(), each.meaning());
      assertTrue((each.isOfRun() ? run : main).contains(line), line);
    }
  }
}
