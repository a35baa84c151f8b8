package io.mortise.internal.wire;

import io.mortise.spi.internal.Shown;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The rules for names and key prefixes, and the hash slot of a name. */
public final class Names {
  private static final int LONGEST = 512;
  private static final int LONGEST_PREFIX = 128;

  private Names() {}

  /** The name in braces, unless it has braces. This text decides the hash slot of its keys. */
  public static String slot(String what, String name) {
    check(what, name);
    return name.indexOf('{') < 0 ? '{' + name + '}' : name;
  }

  /** The tag of a key that has one, with its braces. */
  public static String tag(String key) {
    return key.substring(key.indexOf('{'), key.indexOf('}') + 1);
  }

  /** The name from which a slot text was made. */
  static String ofSlot(String slot) {
    boolean added = slot.startsWith("{") && slot.indexOf('}') == slot.length() - 1;
    return added ? slot.substring(1, slot.length() - 1) : slot;
  }

  /**
   * Whether the name is one tag and nothing else. Then the name without braces has the same slot
   * text.
   */
  public static boolean isTagAlone(String name) {
    return name.startsWith("{") && name.endsWith("}");
  }

  /** A name as a message shows it: on one line. */
  public static String shown(String name) {
    return Shown.of(name);
  }

  /** As {@link #shown(String)}: also the name of a thread may come from a request. */
  public static String shown(Thread thread) {
    return Shown.of(thread);
  }

  /** How a text begins, as a message shows it. It never ends in half a surrogate pair. */
  public static String shownStart(String text, int most) {
    int characters = Math.min(most, text.codePointCount(0, text.length()));
    return shown(text.substring(0, text.offsetByCodePoints(0, characters)));
  }

  /** Refuses a text that cannot be a name. */
  static void check(String what, String name) {
    if (Objects.requireNonNull(name, what).isEmpty()) {
      throw new IllegalArgumentException(what + " is empty; give it 1 to 512 bytes of UTF-8");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw new IllegalArgumentException(
          what + " '" + shown(name) + "' has half a surrogate pair and cannot be written in UTF-8");
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > LONGEST) {
      throw new IllegalArgumentException(
          "%s '%s…' has %d bytes of UTF-8; at most %d are allowed"
              .formatted(what, shownStart(name, 32), bytes, LONGEST));
    }
    int open = name.indexOf('{');
    int close = name.indexOf('}');
    boolean none = open < 0 && close < 0;
    boolean oneTag =
        open >= 0
            && close > open + 1
            && name.indexOf('{', open + 1) < 0
            && name.indexOf('}', close + 1) < 0;
    if (!none && !oneTag) {
      throw new IllegalArgumentException(
          "%s '%s' has stray braces; use none, or exactly one {tag} that names the hash slot"
              .formatted(what, shown(name)));
    }
  }

  /**
   * Refuses a text that cannot be a key prefix, or that leads into the keys of another prefix.
   *
   * @param families the texts behind the prefix with which the keys of some kinds begin
   */
  static void checkPrefix(String prefix, List<String> families) {
    check("key prefix", prefix);
    if (prefix.indexOf('{') >= 0 || prefix.length() > LONGEST_PREFIX) {
      throw new IllegalArgumentException(
          "key prefix '%s' must have no braces and at most %d characters"
              .formatted(shown(prefix), LONGEST_PREFIX));
    }
    for (String family : families) {
      int start = prefix.length() - family.length();
      if (start > 0
          && prefix.endsWith(family)
          && !Character.isLetterOrDigit(prefix.charAt(start - 1))) {
        throw new IllegalArgumentException(
            "key prefix '%s' ends in '%s', which a service with key prefix '%s' puts before keys of its own: locks of different kinds would share keys; end it in another word (docs/wire-format.md)"
                .formatted(shown(prefix), family, shown(prefix.substring(0, start))));
      }
    }
  }
}
