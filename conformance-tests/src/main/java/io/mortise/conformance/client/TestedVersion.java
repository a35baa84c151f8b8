package io.mortise.conformance.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A row of the table of clients on the compatibility page: {@code | client | version | managed by |
 * tests |}.
 *
 * @param version of the client
 * @param tests the tests that the page lists for it
 */
public record TestedVersion(String version, List<String> tests) {
  private static final int COLUMNS = 5; // with the empty one before the first bar

  /**
   * The rows of one client.
   *
   * @param page in Markdown
   * @param client in the first column
   * @return the rows in the order of the page
   */
  public static List<TestedVersion> of(Path page, String client) {
    try {
      return Files.readAllLines(page).stream()
          .map(line -> line.trim().split("\\s*\\|\\s*"))
          .filter(cells -> cells.length == COLUMNS && cells[1].equals(client))
          .map(cells -> new TestedVersion(cells[2], List.of(cells[4].split(", "))))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
