package io.mortise.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The terminal of this process. */
final class Terminal {
  /** To the second screen, without a cursor. */
  static final String OPEN = "\033[?1049h\033[?25l";

  /** Back to the first screen, with a cursor. */
  static final String CLOSE = "\033[?25h\033[?1049l";

  static final String TOP = "\033[H";
  static final String ERASE_LINE = "\033[K";
  static final String ERASE_REST = "\033[J";

  private static final int USUAL_ROWS = 24;

  /**
   * A size.
   *
   * @param rows the height
   * @param columns the width
   */
  record Size(int rows, int columns) {}

  private Terminal() {}

  /** The size now, which the user may change at any time. */
  static Size size(int usualColumns) {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String told = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      String[] size = told.strip().split(" ", 2);
      if (size.length == 2 && !size[1].equals("0")) {
        return new Size(Integer.parseInt(size[0]), Integer.parseInt(size[1]));
      }
    } catch (IOException | NumberFormatException e) {
      // There is no terminal, or no stty.
    }
    return new Size(USUAL_ROWS, usualColumns);
  }
}
