package io.mortise.cli;

import io.mortise.cli.jfr.Contention;
import io.mortise.cli.jfr.FlameGraph;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A flame graph as a page of one file. Its policy allows its own script and style by their hashes,
 * and nothing else. Names are data, and the script shows them as text.
 */
final class FlamePage {
  private FlamePage() {}

  static String of(Contention contention) throws IOException {
    String script = file("flame.js");
    String style = file("flame.css");
    String title =
        "%s of waiting, %d %% of it with a holder"
            .formatted(
                RecordingText.seconds(contention.waited()),
                RecordingText.percent(contention.held(), contention.waited()));
    String data = Json.of(object(contention.flames().root())).replace("<", "\\u003c");
    return file("flame.html")
        .replace("SCRIPT_HASH", hash(script))
        .replace("STYLE_HASH", hash(style))
        .replace("SUMMARY", title)
        .replace("STYLE", style)
        .replace("SCRIPT", script)
        .replace("DATA", data); // the last, as names may be any text
  }

  private static Map<String, @Nullable Object> object(FlameGraph.Frame frame) {
    List<Map<String, @Nullable Object>> inner = new ArrayList<>();
    for (FlameGraph.Frame each : frame.inner()) { // a stack may be two thousand frames deep
      inner.add(object(each));
    }
    return Json.object(
        "name",
        Text.visible(frame.name()),
        "micros",
        TimeUnit.NANOSECONDS.toMicros(frame.total()),
        "inner",
        inner);
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JVM has it
    }
  }

  private static String file(String name) throws IOException {
    try (InputStream file = FlamePage.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
