package io.mortise.cli;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks up a program as a shell does, so that a wrong name is told before the lock is taken. */
final class Program {
  private Program() {}

  /**
   * Checks that the program is there and can be executed.
   *
   * @param name a path, or a name to be found on the path
   * @param path the value of PATH
   * @throws Failure it is not found, or cannot be executed
   */
  static void require(String name, @Nullable String path) {
    List<Path> places =
        name.contains(File.separator) || path == null
            ? List.of(Path.of(name))
            : Stream.of(path.split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder.isEmpty() ? "." : folder, name))
                .toList();
    if (places.stream().anyMatch(each -> Files.isRegularFile(each) && Files.isExecutable(each))) {
      return;
    }
    if (places.stream().anyMatch(Files::exists)) {
      throw new Failure(
          Exit.RUN_CANNOT_START.code(), "'%s' cannot be executed".formatted(name), null);
    }
    throw new Failure(Exit.RUN_NOT_FOUND.code(), "command '%s' is not found".formatted(name), null);
  }
}
