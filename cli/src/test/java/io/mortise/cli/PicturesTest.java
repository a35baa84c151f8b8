package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The names in the pictures of docs/pictures.md are those of the code and of the wire format. */
class PicturesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs").resolve(name));
  }

  private static Set<String> pictured(String regex) throws IOException {
    String pictures =
        Pattern.compile("```mermaid\n(.*?)```", Pattern.DOTALL)
            .matcher(page("pictures.md"))
            .results()
            .map(each -> each.group(1))
            .collect(Collectors.joining("\n"));
    Set<String> found = new TreeSet<>();
    Pattern.compile(regex).matcher(pictures).results().forEach(each -> found.add(each.group(1)));
    assertFalse(found.isEmpty(), regex);
    return found;
  }

  @Test
  void theStatesAreThoseOfALease() throws IOException {
    Set<String> states = pictured("--> ([A-Z]+) :");
    assertEquals(
        Arrays.stream(LeaseState.values()).map(Enum::name).collect(Collectors.toSet()), states);
  }

  @Test
  void everyScriptExists() throws IOException {
    for (String script : pictured("\\b([a-z-]+\\.lua)")) {
      Path wire = ROOT.resolve("api/src/main/resources/io/mortise/internal/wire");
      assertTrue(Files.exists(wire.resolve(script)), script);
    }
  }

  @Test
  void everyExceptionExists() throws Exception {
    for (String name : pictured("(\\w+Exception)")) {
      assertTrue(Exception.class.isAssignableFrom(Class.forName("io.mortise." + name)), name);
    }
  }

  @Test
  void keysAndMessagesAreThoseOfTheWireFormat() throws IOException {
    String format = page("wire-format.md");
    for (String key : pictured("\"(mortise:[^<]+)<")) {
      String general = key.replace("{orders:42}", "{name}").replace("mail:B", "mail:<client>");
      assertTrue(format.contains("| `" + general + "` |"), key);
    }
    for (String message : pictured("message: (\\w+)")) {
      assertTrue(Pattern.compile("\\| `" + message + "[ \\\\]").matcher(format).find(), message);
    }
  }

  @Test
  void timesAreThoseOfTheWireFormat() throws IOException {
    String times = page("wire-format.md").replaceAll("(?s)^.*\n## Times\n", "");
    assertTimes(times, "R, the re-check.*?", pictured("every (\\d+ s)"));
    assertTimes(times, "C, the grant window.*?", pictured("in for (\\d+ s)"));
  }

  private static void assertTimes(String times, String row, Set<String> pictured) {
    for (String time : pictured) {
      assertTrue(Pattern.compile("\\| " + row + "\\| " + time).matcher(times).find(), row + time);
    }
  }
}
