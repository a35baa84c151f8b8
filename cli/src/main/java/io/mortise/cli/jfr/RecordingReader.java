package io.mortise.cli.jfr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** Reads one recording from its begin to its end, also if that is missing. */
final class RecordingReader {
  private static final int SOME = 1000;

  private final Path file;
  private final Recordings.Watcher watcher;
  private long events;

  RecordingReader(Path file, Recordings.Watcher watcher) {
    this.file = file;
    this.watcher = watcher;
  }

  /**
   * Passes all events on, one by one.
   *
   * @return why the rest cannot be read; null if the recording is whole
   * @throws IOException the file is missing, or no event of it can be read
   */
  @Nullable String read(Consumer<RecordedEvent> to) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + (Files.exists(file) ? " is no file" : " does not exist"));
    }
    if (!Files.isReadable(file)) {
      throw new IOException(file + " cannot be read");
    }
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        to.accept(recording.readEvent());
        if (++events % SOME == 0) {
          watcher.read(file, events);
        }
      }
      return null;
    } catch (IOException | RuntimeException e) { // the parser throws many kinds on a broken file
      if (events == 0) {
        throw new IOException(file + " is no flight recording, or its first part is missing", e);
      }
      return "%s is cut off or damaged; its first %,d events were read".formatted(file, events);
    }
  }
}
