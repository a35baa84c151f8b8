package io.mortise.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The output and exit code of a run of the command in this JVM. */
record Invocation(int exitCode, String out, String err) {
  static Invocation of(String... args) {
    return of(false, 80, false, args);
  }

  static Invocation onTerminal(int columns, String... args) {
    return of(true, columns, false, args);
  }

  static Invocation inColour(String... args) {
    return of(true, 80, true, args);
  }

  private static Invocation of(boolean terminal, int columns, boolean colours, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Streams streams =
        new Streams(
            new PrintWriter(out), new PrintWriter(err), terminal, columns, colours, terminal);
    int code = Main.run(streams, args);
    return new Invocation(code, out.toString(), err.toString());
  }

  /**
   * Runs it in a thread of its own. The common pool may have one alone, which the JDK needs too.
   */
  static <T> CompletableFuture<T> inThread(Supplier<T> run) {
    return CompletableFuture.supplyAsync(
        run,
        task -> {
          Thread thread = new Thread(task, "invocation");
          thread.setDaemon(true);
          thread.start();
        });
  }

  String all() {
    return out + err;
  }
}
