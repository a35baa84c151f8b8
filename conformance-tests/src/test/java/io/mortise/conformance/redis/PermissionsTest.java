package io.mortise.conformance.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The users that the documentation shows are those of the tests. */
class PermissionsTest {
  private static Set<String> documented(String page, String user) throws IOException {
    String text = Files.readString(Path.of("..", "docs", page));
    Matcher line = Pattern.compile("(?s)\nACL SETUSER " + user + " (.*?)```").matcher(text);
    assertEquals(true, line.find(), page);
    return new HashSet<>(List.of(line.group(1).trim().split("\\s+", -1)));
  }

  private static Set<String> rules(String first, List<String> rules) {
    Set<String> all = new HashSet<>(List.of(first.split(" ", -1)));
    all.addAll(rules);
    return all;
  }

  @Test
  void theUserOfLocks() throws IOException {
    assertEquals(
        rules("on >secret resetkeys resetchannels ~mortise:* &mortise:* -@all", Permissions.LOCKS),
        documented("troubleshooting.md", "locks"));
  }

  @Test
  void theUserOfSentinels() throws IOException {
    assertEquals(
        rules("on >secret resetchannels -@all", Permissions.SENTINEL),
        documented("operating.md", "watcher"));
  }

  @Test
  void whatAClusterNeedsMore() throws IOException {
    String rules = String.join(" ", Permissions.CLUSTER);
    for (String page : List.of("troubleshooting.md", "operating.md")) {
      String text = Files.readString(Path.of("..", "docs", page)).replace("\\|", "|");
      assertEquals(true, text.contains('`' + rules + '`'), page);
    }
  }
}
