package io.mortise;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page about options, beside the options that there are. */
class OptionsPageTest {
  private static final Path PAGE = Path.of("../docs/configuration.md");
  private static final Pattern FIRST_CELL =
      Pattern.compile("^\\| `(?:\\w+\\.)?(\\w+)`", Pattern.MULTILINE);

  @Test
  void eachOptionHasASentenceThatSaysWhenItIsWrong() throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("## When it is wrong to set an option");
    Matcher row = FIRST_CELL.matcher(page.substring(start, page.indexOf("\n## ", start)));
    Set<String> rows = new TreeSet<>();
    while (row.find()) {
      rows.add(row.group(1));
    }
    assertEquals(options(), rows);
  }

  /** What a builder of services takes, and what makes another handle of a lock. */
  private static Set<String> options() {
    Set<String> options = new TreeSet<>();
    Stream.of(LockService.Builder.class.getDeclaredMethods())
        .filter(each -> each.getReturnType().equals(LockService.Builder.class))
        .map(Method::getName)
        .forEach(options::add);
    Stream.of(LeasedLock.class, RedLock.class, DistributedSemaphore.class)
        .flatMap(each -> Stream.of(each.getDeclaredMethods()))
        .map(Method::getName)
        .filter(each -> each.startsWith("with"))
        .forEach(options::add);
    return options;
  }
}
