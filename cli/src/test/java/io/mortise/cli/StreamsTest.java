package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamsTest {
  @ParameterizedTest
  @CsvSource(
      value = {
        "true, true, null, xterm, true",
        "true, true, '', xterm, true",
        "true, true, null, null, true",
        "true, true, 1, xterm, false",
        "true, true, null, dumb, false",
        "false, true, null, xterm, false",
        "true, false, null, xterm, false",
        "null, null, null, xterm, false",
      },
      nullValues = "null")
  void coloursAreForTerminalsWhereNobodyRefusesThem(
      String out, String err, String noColor, String term, boolean wanted) {
    Properties properties = new Properties();
    Map<String, String> environment = new HashMap<>();
    if (out != null) {
      properties.setProperty("mortise.terminal.out", out);
      properties.setProperty("mortise.terminal", err);
    }
    if (noColor != null) {
      environment.put("NO_COLOR", noColor);
    }
    if (term != null) {
      environment.put("TERM", term);
    }

    assertEquals(wanted, Streams.colours(properties, environment));
  }

  @Test
  void aTerminalWhoseWidthIsNotKnownHasTheUsualOne() {
    assertEquals(40, Streams.columns("40"));
    assertEquals(80, Streams.columns(null));
    assertEquals(80, Streams.columns(""));
    assertEquals(80, Streams.columns("0"));
  }
}
