package io.mortise.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

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

  String all() {
    return out + err;
  }
}
