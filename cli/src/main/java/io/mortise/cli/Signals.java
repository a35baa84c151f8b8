package io.mortise.cli;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes over the signals that ask this process to end. The platform has no supported API for that,
 * and a shutdown hook is not told which signal came. So this class uses {@code sun.misc.Signal} by
 * name. Where that class is missing, signals end this process as usual, and the guard ends the
 * command.
 */
final class Signals {
  /** The signals that are taken over, with their numbers on every Unix. */
  enum Signal {
    HUP(1),
    INT(2),
    TERM(15);

    private final int number;

    Signal(int number) {
      this.number = number;
    }

    int exitCode() {
      return Exit.SIGNAL + number;
    }
  }

  private Signals() {}

  /**
   * Tells the listener of each signal from now on. A signal that this process was started to
   * ignore, as by {@code nohup}, stays ignored.
   */
  static void tell(Consumer<Signal> listener) {
    for (Signal each : List.of(Signal.values())) {
      try {
        take(each, listener);
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        return; // no such class or signal on this platform
      }
    }
  }

  private static void take(Signal signal, Consumer<Signal> listener)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Method handle = type.getMethod("handle", type, handler);
    Object ignore = handler.getField("SIG_IGN").get(null);
    Object taken = type.getConstructor(String.class).newInstance(signal.name());
    Object teller =
        Proxy.newProxyInstance(
            handler.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, args) -> {
              if (!method.getName().equals("handle")) {
                throw new UnsupportedOperationException(method.getName());
              }
              listener.accept(signal);
              return null;
            });
    Object before = handle.invoke(null, taken, teller);
    if (ignore.equals(before)) {
      handle.invoke(null, taken, ignore);
    }
  }
}
