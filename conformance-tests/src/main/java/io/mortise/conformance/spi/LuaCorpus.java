package io.mortise.conformance.spi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The language features and commands that lock scripts may use, as samples with their exact
 * replies. Redis 6.2, Redis 7 and every other engine must give the same answers. A lock script uses
 * nothing beyond the corpus. The samples are in the resource {@code lua-corpus.lua}.
 */
public final class LuaCorpus {
  private static final String NAME = "--- ";
  private static final String ARGS = "--< ";
  private static final String REPLY = "--> ";
  private static final String ERROR = "--! ";

  private final List<LuaSample> samples = new ArrayList<>();
  private final StringBuilder source = new StringBuilder();
  private String name = "";
  private List<String> args = List.of();

  private LuaCorpus() {}

  /**
   * All samples.
   *
   * @return language first, then commands
   */
  public static List<LuaSample> samples() {
    LuaCorpus corpus = new LuaCorpus();
    text().lines().forEach(corpus::read);
    return List.copyOf(corpus.samples);
  }

  private static String text() {
    try (InputStream in = LuaCorpus.class.getResourceAsStream("lua-corpus.lua")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(String line) {
    if (line.startsWith(NAME)) {
      name = line.substring(NAME.length());
      args = List.of();
      source.setLength(0);
    } else if (line.startsWith(ARGS)) {
      args = List.of(line.substring(ARGS.length()).split(" "));
    } else if (line.startsWith(REPLY)) {
      List<Object> reply = new ReplyText(line.substring(REPLY.length())).elements();
      samples.add(new LuaSample(name, source.toString(), args, reply, ""));
    } else if (line.startsWith(ERROR)) {
      String error = line.substring(ERROR.length());
      samples.add(new LuaSample(name, source.toString(), args, List.of(), error));
    } else {
      source.append(line).append('\n');
    }
  }

  /** Reads {@code 1, "text", ["nested", 2], []}. */
  private static final class ReplyText {
    private final String text;
    private int at;

    ReplyText(String text) {
      this.text = text;
    }

    List<Object> elements() {
      List<Object> elements = new ArrayList<>();
      while (at < text.length() && text.charAt(at) != ']') {
        elements.add(element());
        while (at < text.length() && ", ".indexOf(text.charAt(at)) >= 0) {
          at++;
        }
      }
      at++;
      return elements;
    }

    private Object element() {
      int start = at++;
      if (text.charAt(start) == '[') {
        return elements();
      }
      if (text.charAt(start) == '"') {
        at = text.indexOf('"', at) + 1;
        return text.substring(start + 1, at - 1);
      }
      while (at < text.length() && Character.isDigit(text.charAt(at))) {
        at++;
      }
      return Long.valueOf(text.substring(start, at));
    }
  }
}
