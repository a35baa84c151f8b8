package io.mortise.backend.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is made of files. It is made again when one of them was replaced or written.
 * Thread-safe.
 */
final class MadeOfFiles<T> {
  private record Made<T>(List<Object> states, T value) {}

  private final List<String> files;
  private final Supplier<T> maker;
  private volatile @Nullable Made<T> last;

  MadeOfFiles(List<String> files, Supplier<T> maker) {
    this.files = List.copyOf(files);
    this.maker = maker;
  }

  /**
   * The value of the files as they are now. It looks at the files before it reads them, so the next
   * call notices a change that comes in between.
   */
  T get() {
    List<Object> now = states();
    Made<T> known = last;
    if (known != null && known.states.equals(now)) {
      return known.value;
    }
    T value = maker.get();
    last = new Made<>(now, value);
    return value;
  }

  private List<Object> states() {
    List<Object> states = new ArrayList<>();
    for (String file : files) {
      try {
        BasicFileAttributes seen = Files.readAttributes(Path.of(file), BasicFileAttributes.class);
        states.add(seen.lastModifiedTime());
        states.add(seen.size());
        states.add(String.valueOf(seen.fileKey()));
      } catch (IOException | InvalidPathException e) {
        states.add(e); // equals no other, so the maker finds and names the fault
      }
    }
    return states;
  }
}
