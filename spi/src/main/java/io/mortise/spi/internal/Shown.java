package io.mortise.spi.internal;

import java.util.regex.Pattern;

/**
 * Names as a message shows them: on one line, with control characters as escapes of Java. So a name
 * that came from a request cannot forge a line of a log.
 */
public final class Shown {
  private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\x{2028}\\x{2029}]");

  private Shown() {}

  /** The name of a lock, or another text that is not ours. */
  public static String of(String name) {
    return CONTROL
        .matcher(name)
        .replaceAll(found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
  }

  /** The name of a thread, which may come from a request too. */
  public static String of(Thread thread) {
    return of(thread.getName());
  }

  /** The name of the calling thread. */
  public static String thisThread() {
    return of(Thread.currentThread());
  }
}
