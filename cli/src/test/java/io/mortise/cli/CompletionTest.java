package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script for shells, in a real bash. */
class CompletionTest {
  private static final Path BASH = Path.of("/bin/bash");

  @TempDir private Path folder;

  /** What bash offers for the last word. */
  private List<String> offered(String... words) throws Exception {
    Path script = folder.resolve("mortise.bash");
    Files.writeString(script, Invocation.of("completion", "bash").out());
    StringBuilder line = new StringBuilder("source " + script + "\nCOMP_WORDS=(");
    for (String word : words) {
      line.append('"').append(word).append("\" ");
    }
    line.append(")\nCOMP_CWORD=").append(words.length - 1).append('\n');
    line.append(
        "$(complete -p mortise | sed 's/.*-F \\([^ ]*\\).*/\\1/') 2>/dev/null\n"); // no compopt
    // here
    line.append("printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    Process bash =
        new ProcessBuilder(BASH.toString(), "--norc", "-c", line.toString())
            .redirectErrorStream(true)
            .start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, bash.waitFor(), out);
    return out.lines().map(String::strip).toList();
  }

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    assumeTrue(Files.isExecutable(BASH), "there is no bash");
    assertEquals(List.of("inspect"), offered("mortise", "ins"));
    assertTrue(
        offered("mortise", "list", "--").containsAll(List.of("--uri", "--json", "--waited")));
    assertEquals(List.of("--holder"), offered("mortise", "force-unlock", "--ho"));
    assertTrue(offered("mortise", "run", "--kind", "").contains("fenced"));
  }

  @Test
  void theScriptForZshLoadsItsCompletionFirst() {
    String script = Invocation.of("completion", "zsh").out();
    assertTrue(script.startsWith("autoload -U +X compinit && compinit"), script);
    assertTrue(!script.contains(DemoProcess.NAME), "the inner command of the demo");
  }
}
