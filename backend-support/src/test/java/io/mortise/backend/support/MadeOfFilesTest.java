package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MadeOfFilesTest {
  @TempDir Path folder;
  private Path file;
  private Path other;
  private MadeOfFiles<String> made;
  private int reads;

  @BeforeEach
  void twoFiles() throws IOException {
    file = Files.writeString(folder.resolve("one"), "1");
    other = Files.writeString(folder.resolve("other"), "a");
    made = new MadeOfFiles<>(List.of(file.toString(), other.toString()), this::read);
  }

  private String read() {
    reads++;
    try {
      return Files.readString(file) + Files.readString(other);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertMade(String expected, int afterReads) {
    assertEquals(expected, made.get());
    assertEquals(afterReads, reads);
  }

  @Test
  void filesThatDidNotChangeAreReadOnce() {
    assertMade("1a", 1);
    assertMade("1a", 1);
  }

  @Test
  void aFileThatWasWrittenIsReadAgain() throws IOException {
    assertMade("1a", 1);
    Files.writeString(other, "bc");
    assertMade("1bc", 2);
    assertMade("1bc", 2);
  }

  @Test
  void anotherFileInItsPlaceIsReadAlsoIfTimeAndSizeAreTheSame() throws IOException {
    assertMade("1a", 1);
    FileTime time = Files.getLastModifiedTime(file);
    Path next = Files.writeString(folder.resolve("next"), "2");
    Files.setLastModifiedTime(next, time);
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    assertMade("2a", 2);
  }

  @Test
  void aFaultIsFoundEachTimeAndIsOverWhenTheFileIsBack() throws IOException {
    assertMade("1a", 1);
    Files.delete(file);
    assertThrows(UncheckedIOException.class, made::get);
    assertThrows(UncheckedIOException.class, made::get);
    Files.writeString(file, "3");
    assertMade("3a", 4);
  }
}
