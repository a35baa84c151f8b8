package io.mortise.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What a run of the command in this JVM printed, and its exit code. */
record Invocation(int exitCode, String out, String err) {
  static Invocation of(String... args) {
    return of(false, args);
  }

  static Invocation onTerminal(String... args) {
    return of(true, args);
  }

  private static Invocation of(boolean terminal, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(new Streams(new PrintWriter(out), new PrintWriter(err), terminal), args);
    return new Invocation(code, out.toString(), err.toString());
  }

  String all() {
    return out + err;
  }
}
