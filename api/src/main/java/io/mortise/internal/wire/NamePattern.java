package io.mortise.internal.wire;

import java.util.Arrays;
import java.util.Objects;

/**
 * A pattern of lock names. In it, {@code *} stands for any text, {@code ?} for one character, and a
 * backslash makes the character behind it stand for itself. All other characters stand for
 * themselves.
 */
public final class NamePattern {
  private static final int ANY = -1;
  private static final int ONE = -2;
  private static final int LONGEST = 1_024;

  private final int[] tokens;

  private NamePattern(int[] tokens) {
    this.tokens = tokens;
  }

  /** Reads a pattern. */
  public static NamePattern of(String text) {
    if (Objects.requireNonNull(text, "pattern").isEmpty() || text.length() > LONGEST) {
      throw new IllegalArgumentException(
          "pattern of %d characters; give it 1 to %d, such as * for all names"
              .formatted(text.length(), LONGEST));
    }
    int[] letters = text.codePoints().toArray();
    int[] tokens = new int[letters.length];
    int count = 0;
    boolean literal = false;
    for (int letter : letters) {
      if (letter == '\\' && !literal) {
        literal = true;
      } else {
        tokens[count++] = literal ? letter : token(letter);
        literal = false;
      }
    }
    if (literal) {
      throw new IllegalArgumentException(
          "pattern '%s' ends in a backslash; write two for a backslash".formatted(text));
    }
    return new NamePattern(Arrays.copyOf(tokens, count));
  }

  private static int token(int letter) {
    return letter == '*' ? ANY : letter == '?' ? ONE : letter;
  }

  /** Whether it is the pattern of that name. The effort is at most the product of the lengths. */
  public boolean matches(String name) {
    int[] letters = name.codePoints().toArray();
    int token = 0;
    int at = 0;
    int star = -1;
    int behindStar = 0;
    while (at < letters.length) {
      if (token < tokens.length && tokens[token] == ANY) {
        star = token++;
        behindStar = at;
      } else if (token < tokens.length && fits(tokens[token], letters[at])) {
        token++;
        at++;
      } else if (star >= 0) {
        token = star + 1;
        at = ++behindStar;
      } else {
        return false;
      }
    }
    while (token < tokens.length && tokens[token] == ANY) {
      token++;
    }
    return token == tokens.length;
  }

  private static boolean fits(int token, int letter) {
    return token == ONE || token == letter;
  }
}
