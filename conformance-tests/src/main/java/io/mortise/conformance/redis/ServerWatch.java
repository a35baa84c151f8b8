package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Ends the servers of a JVM that is killed, which runs no shutdown hook. A shell reads a pipe, of
 * which this JVM alone has the other end. At its end the shell kills the servers that still run.
 */
final class ServerWatch {
  private static final Path SHELL = Path.of("/bin/sh");

  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      left=' '
      while read -r what pid; do
        case $what$left in
          started*) left="$left$pid " ;;
          *" $pid "*) left="${left%%" $pid "*} ${left#*" $pid "}" ;;
        esac
      done
      [ "$left" = ' ' ] || kill -s KILL $left
      """;

  private static final @Nullable OutputStream PIPE = open();

  private ServerWatch() {}

  private static @Nullable OutputStream open() {
    try {
      return Files.isExecutable(SHELL)
          ? new ProcessBuilder(SHELL.toString(), "-c", SCRIPT, "mortise-server-watch")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .getOutputStream()
          : null;
    } catch (IOException e) {
      return null;
    }
  }

  static void started(long pid) {
    tell("started " + pid);
  }

  static void ended(long pid) {
    tell("ended " + pid);
  }

  private static synchronized void tell(String what) {
    if (PIPE != null) {
      try {
        PIPE.write((what + '\n').getBytes(StandardCharsets.US_ASCII));
        PIPE.flush();
      } catch (IOException e) {
        // Somebody has ended the shell, and the shutdown hook is left.
      }
    }
  }
}
