package io.mortise.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file of a counter that several processes share.
 *
 * @param folder a temporary folder, for this file only
 */
record CounterFile(Path folder) {
  static CounterFile create() {
    try {
      return new CounterFile(Files.createTempDirectory("mortise-demo-"));
    } catch (IOException e) {
      throw new UncheckedIOException("no temporary folder for the counter", e);
    }
  }

  Path path() {
    return folder.resolve("counter");
  }

  /** Removes file and folder, if they exist. A process that has mapped the file keeps it. */
  void delete() {
    try {
      Files.deleteIfExists(path());
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // The system cleans it up later.
    }
  }
}
