package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No command ends as a success if its results could not be written. */
class OutputTest {
  private final StringWriter err = new StringWriter();

  private int run(String failure, String command) {
    OutputStream device =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException(failure);
          }
        };
    Streams streams = new Streams(Output.to(device), new PrintWriter(err), false, 80, false, false);
    return Main.run(streams, command.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "1, --help",
    "1, --version",
    "1, list --help",
    "1, providers",
    "1, providers --json",
    "1, completion bash",
    "70, run --help",
  })
  void aFullDeviceIsAnErrorThatIsTold(int code, String command) {
    assertEquals(code, run("No space left on device", command));
    String message = "the output cannot be written: No space left on device";
    boolean json = command.endsWith("--json");
    assertEquals(
        json ? Json.of(Json.object("error", message, "exitCode", code)) : "mortise: " + message,
        err.toString().strip());
  }

  @ParameterizedTest
  @CsvSource({"Broken pipe, --help", "Broken pipe, providers", "The pipe is closed, --version"})
  void aReaderThatHasGoneIsNotTold(String failure, String command) {
    assertEquals(Exit.CLOSED_PIPE.code(), run(failure, command));
    assertEquals("", err.toString());
  }
}
