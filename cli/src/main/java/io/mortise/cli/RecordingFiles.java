package io.mortise.cli;

import io.mortise.cli.jfr.Recordings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Reads the recordings that a command is given. */
final class RecordingFiles {
  private static final byte[] MAGIC = {'F', 'L', 'R', 0};

  private RecordingFiles() {}

  /** Whether a file begins as each flight recording does. */
  static boolean isRecording(Path file) {
    try (InputStream begin = Files.newInputStream(file)) {
      return Arrays.equals(begin.readNBytes(MAGIC.length), MAGIC);
    } catch (IOException e) {
      return false;
    }
  }

  /** What fails with an {@link IOException} if a recording cannot be read. */
  interface Reading<T> {
    T read(Recordings.Watcher watcher) throws IOException;
  }

  /**
   * Reads all recordings.
   *
   * @throws Failure a file is missing, or is no recording, or none has an event of a lock
   */
  static Recordings read(List<Path> files, Printer printer, Streams streams) {
    Recordings read = show(printer, streams, watcher -> Recordings.read(files, watcher));
    read.warnings().forEach(each -> printer.note(streams, each));
    if (read.isEmpty()) {
      throw new Failure(Exit.NO.code(), "no recording has an event of a lock", null);
    }
    return read;
  }

  /** Runs something that reads recordings, and shows how far it is, unless objects are wanted. */
  static <T> T show(Printer printer, Streams streams, Reading<T> reading) {
    Progress progress = new Progress(printer.json() ? streams.silent() : streams);
    long start = System.nanoTime();
    try {
      return reading.read((file, events) -> {
        if (System.nanoTime() - start > progress.pace().toNanos()) {
          String name = Text.visible(String.valueOf(file.getFileName()));
          progress.show("reading %s: %,d events".formatted(name, events), name);
        }
      });
    } catch (IOException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    } finally {
      progress.end();
    }
  }
}
