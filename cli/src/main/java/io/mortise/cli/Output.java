package io.mortise.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A place for results. It knows why it could not be written, which a PrintWriter does not tell. */
final class Output extends PrintWriter {
  /** Writes to another stream, and notes a failure. */
  private static final class Noted extends FilterOutputStream {
    private volatile @Nullable IOException failure;

    Noted(OutputStream target) {
      super(target);
    }

    @Override
    public void write(byte[] bytes, int start, int length) throws IOException {
      try {
        out.write(bytes, start, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }

  private final Noted target;

  private Output(Noted target) {
    super(target, true, Charset.defaultCharset());
    this.target = target;
  }

  static Output to(OutputStream target) {
    return new Output(new Noted(target));
  }

  /** Throws if something could not be written. A reader that has gone is no error to tell. */
  static void requireWritten(PrintWriter out) {
    if (!out.checkError()) {
      return;
    }
    IOException e = out instanceof Output known ? known.target.failure : null;
    String why = e == null ? "" : String.valueOf(e.getMessage());
    if (e == null || why.toLowerCase(Locale.ROOT).contains("pipe")) {
      throw new Failure(Exit.CLOSED_PIPE.code(), "nobody reads the output", e);
    }
    throw new Failure(Failure.UNEXPECTED, "the output cannot be written: " + why, e);
  }
}
