package io.mortise.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --json}, and results in the form that it chooses. */
final class Printer {
  @Option(
      names = "--json",
      description = "Print one JSON object a line. Also an error is one, on stderr.")
  private boolean json;

  boolean json() {
    return json;
  }

  /** Prints lines at once, and ends the command if they cannot be written. */
  static void print(Streams streams, List<String> lines) {
    if (!lines.isEmpty()) {
      PrintWriter out = streams.out();
      out.print(String.join(System.lineSeparator(), lines) + System.lineSeparator());
      out.flush();
    }
    Output.requireWritten(streams.out());
  }

  /** Prints objects, one a line. */
  static void printObjects(Streams streams, List<Map<String, @Nullable Object>> objects) {
    print(streams, objects.stream().map(Json::of).toList());
  }

  /** Tells something beside the results, on stderr. */
  void note(Streams streams, String text) {
    String line = Text.visible(text);
    streams.err().println(json ? Json.of(Json.object("message", line)) : "mortise: " + line);
  }
}
