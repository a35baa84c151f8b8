package io.mortise.internal.wire;

import io.mortise.spi.Script;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the files of scripts, and puts the parts of a script together. */
public final class ScriptFiles {
  /**
   * A line that the file of that name replaces. It is behind the ways through a script that need
   * nothing of that file, because a server makes each function in each run.
   */
  private static final Pattern PART = Pattern.compile("(?m)^--#(.+)\n");

  /** A part of which each family has its own. */
  private static final String FREED = "freed";

  private ScriptFiles() {}

  /**
   * Reads a script with its parts.
   *
   * @param freed the file that replaces the part {@value #FREED}
   */
  static Script script(String name, String freed) {
    String source =
        PART.matcher(read(name))
            .replaceAll(part -> {
              String file = part.group(1).equals(FREED) ? freed : part.group(1);
              return Matcher.quoteReplacement(read(file));
            });
    return Script.of(name, source);
  }

  /** Reads one file. */
  public static String read(String name) {
    try (InputStream in = ScriptFiles.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script " + name + ".lua is missing from this jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
