package io.mortise.jmh.drive;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes, played by two mappings of one file. */
class BatonTest {
  @Test
  void onlyAChangeOfTheProcessCounts(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("baton");
    Baton one = Baton.open(file, 2, 11);
    Baton other = Baton.open(file, 2, 12);
    assertTrue(one.take(0));
    assertFalse(one.take(0));
    assertTrue(other.take(0));
    assertTrue(one.take(0));
    assertFalse(one.take(0));
    assertTrue(other.take(1));
    assertFalse(one.take(0), "the other lock changed hands");
  }
}
