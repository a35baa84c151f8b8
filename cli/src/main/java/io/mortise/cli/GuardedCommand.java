package io.mortise.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A command of the user, which has the terminal and the streams of this process, and its guard. The
 * guard is a shell that reads a pipe. Only this process has the other end. If this process is
 * killed, the pipe closes, and the guard ends the command with all processes below it.
 */
final class GuardedCommand {
  private static final Path SHELL = Path.of("/bin/sh");
  private static final Path ENV = Path.of("/usr/bin/env");

  /** The name of a variable that is no name in a shell. */
  private static final Pattern ODD_NAME = Pattern.compile("(?![A-Za-z_]\\w*+\\z)[^=]+");

  /** What stands for bytes that are no text. They would not arrive as they were. */
  private static final char UNDECODED = '\uFFFD';

  /**
   * Argument 1 is the folder that it shares with the starter, 2 the seconds between TERM and KILL.
   * A line means that the command has ended. Without {@code open} no command starts any more. The
   * message is last, because stderr may be a pipe that is full or that nobody reads.
   */
  private static final String GUARD =
      """
      trap '' HUP INT TERM QUIT PIPE
      if ! read -r ended; then
        rm -f "$1/open"
        read -r root 2>/dev/null <"$1/pid"
      fi
      if [ -n "$root" ]; then
        all=$root
        look() {
          seen=$(ps -A -o pid= -o ppid= 2>/dev/null | awk -v known="$all" '
            BEGIN { split(known, list); for (i in list) top[list[i]] = 1 }
            { up[$1] = $2 }
            END {
              for (p in up)
                for (q = p; q in up; q = up[q]) if (q in top) { printf "%s ", p; break }
            }
          ' 2>/dev/null)
          all=${seen:-$all}
        }
        alive() { for each in $all; do kill -s 0 "$each" 2>/dev/null && return 0; done; return 1; }
        look
        kill -s TERM $all 2>/dev/null
        left=$2
        while [ "$left" -gt 0 ] && alive; do sleep 1; left=$((left - 1)); look; done
        if alive; then
          for round in 1 2 3; do kill -s STOP $all 2>/dev/null; look; done
          kill -s KILL $all 2>/dev/null
        fi
      fi
      rm -rf "$1"
      [ -z "$root" ] || echo "mortise: mortise run was killed; its command is ended" >&2 || :
      """;

  /**
   * Becomes the command. It first leaves its process id for the guard, and then looks whether the
   * guard has given up. So a command that starts is always known to its guard.
   */
  private static final String STARTER =
      """
      echo $$ >"$1/pid" && [ -e "$1/open" ] || exit 143
      shift
      exec "$@"
      """;

  private final Process process;
  private final @Nullable OutputStream guard;

  private GuardedCommand(Process process, @Nullable OutputStream guard) {
    this.process = process;
    this.guard = guard;
  }

  /** Whether this platform has what the guard needs. */
  static boolean canGuard() {
    return Files.isExecutable(SHELL);
  }

  /**
   * Starts the guard, and then the command.
   *
   * @param command the command and its arguments
   * @param environment what is added to the environment
   * @param grace the time between TERM and KILL
   * @throws IOException the command cannot be started
   */
  static GuardedCommand start(List<String> command, Map<String, String> environment, Duration grace)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().putAll(environment);
    if (!canGuard()) {
      return new GuardedCommand(builder.start(), null);
    }
    Path folder = Files.createTempDirectory("mortise-run-");
    Files.createFile(folder.resolve("open"));
    Process guard =
        shell(
                GUARD,
                "mortise-guard",
                List.of(folder.toString(), "" + Math.max(1, grace.toSeconds())))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> started = new ArrayList<>(List.of(folder.toString()));
    started.addAll(setters(builder.environment(), command.get(0)));
    started.addAll(command);
    builder.command(shell(STARTER, "mortise", started).command());
    return new GuardedCommand(builder.start(), guard.getOutputStream());
  }

  /**
   * What passes on the variables that a shell may drop, because their names are none in its
   * language. Empty if there are none, or if {@code env} would mistake the program for a variable.
   */
  private static List<String> setters(Map<String, String> environment, String program) {
    List<String> odd =
        environment.entrySet().stream()
            .filter(each -> ODD_NAME.matcher(each.getKey()).matches())
            .filter(each -> each.getValue().indexOf(UNDECODED) < 0)
            .map(each -> each.getKey() + '=' + each.getValue())
            .toList();
    if (odd.isEmpty() || program.contains("=") || !Files.isExecutable(ENV)) {
      return List.of();
    }
    List<String> words = new ArrayList<>(List.of(ENV.toString(), "--"));
    words.addAll(odd);
    return words;
  }

  private static ProcessBuilder shell(String script, String name, List<String> arguments) {
    List<String> words = new ArrayList<>(List.of(SHELL.toString(), "-c", script, name));
    words.addAll(arguments);
    return new ProcessBuilder(words);
  }

  void await() throws InterruptedException {
    process.waitFor();
  }

  /** Waits for the end. Returns false if the time is over first. */
  boolean await(Duration time) throws InterruptedException {
    return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Sends a signal to the command alone, which may have processes of its own to end. */
  void signal(Signals.Signal signal) {
    if (signal == Signals.Signal.TERM || !canGuard()) {
      process.destroy();
      return;
    }
    try {
      send(signal.name(), List.of(process.toHandle()));
    } catch (IOException e) {
      process.destroy();
    }
  }

  /** Starts a shell that sends a signal. */
  static Process send(String signal, List<ProcessHandle> to) throws IOException {
    String ids = to.stream().map(each -> " " + each.pid()).collect(Collectors.joining());
    return new ProcessBuilder(SHELL.toString(), "-c", "kill -s " + signal + ids)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** The command and all processes below it. */
  ProcessTree tree() {
    return new ProcessTree(process.toHandle());
  }

  /** Tells the guard that the command has ended. Returns its exit code. */
  int ended() {
    if (guard != null) {
      try (guard) {
        guard.write("ended\n".getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        // Somebody has ended the guard.
      }
    }
    return process.exitValue();
  }
}
