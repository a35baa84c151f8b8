package io.mortise.cli;

import java.io.PrintWriter;

/**
 * The second screen of a terminal. The first one comes back when it is closed, also when the JVM
 * ends. Nothing is shown after that: it would stand on the first screen. Thread-safe.
 */
final class SecondScreen implements AutoCloseable {
  private final PrintWriter out;
  private boolean closed;

  private SecondScreen(PrintWriter out) {
    this.out = out;
  }

  static SecondScreen open(PrintWriter out) {
    SecondScreen screen = new SecondScreen(out);
    Runtime.getRuntime().addShutdownHook(new Thread(screen::close, "mortise-top-restore"));
    screen.show(Terminal.OPEN);
    return screen;
  }

  synchronized void show(String text) {
    if (!closed) {
      out.print(text);
      out.flush();
    }
  }

  @Override
  public synchronized void close() {
    show(Terminal.CLOSE);
    closed = true;
  }
}
