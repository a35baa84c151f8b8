package io.mortise.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A wrapper of another time forwards all of it. A default method that it leaves out answers by the
 * wrapper alone, and the compiler says nothing.
 */
@Tag("B20")
class TimeWrappersTest {
  private static final Pattern TIME =
      Pattern.compile(
          "\\bimplements [\\w., ]*\\bTimeSource\\b[^{]*\\{|\\bnew TimeSource\\(\\) \\{");

  /** It parks by another time, so it is a wrapper, and not a time of its own. */
  private static final Pattern WRAPS = Pattern.compile("(?<!LockSupport)\\.parkNanos\\(");

  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

  private static final List<String> OPTIONAL =
      Arrays.stream(TimeSource.class.getMethods())
          .filter(Method::isDefault)
          .map(Method::getName)
          .sorted()
          .toList();

  @Test
  void everyWrapperForwardsWhatATimeMayLeaveOut() throws IOException {
    List<String> wrappers = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (Path file : sources()) {
      for (String body : bodies(Files.readString(file))) {
        String name = file.getFileName().toString();
        wrappers.add(name);
        OPTIONAL.stream()
            .filter(method -> !body.contains(' ' + method + '('))
            .forEach(method -> wrong.add(name + " leaves out " + method));
      }
    }
    assertEquals(List.of("checkMayPark", "currentTimeMillis", "unpark"), OPTIONAL);
    assertTrue(
        wrappers.containsAll(List.of("LoopTime.java", "MemberTime.java", "SkewedBackend.java")),
        () -> "not all wrappers were found: " + wrappers);
    assertEquals(List.of(), wrong);
  }

  /** All Java sources. What is built meanwhile comes and goes, so it is not looked at. */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        Path.of(".."),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skipped = List.of("target", ".git").contains(folder.getFileName().toString());
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".java")) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  /** The bodies of the wrappers of a file. */
  private static List<String> bodies(String source) {
    String code = COMMENT_OR_TEXT.matcher(source).replaceAll("");
    List<String> bodies = new ArrayList<>();
    Matcher time = TIME.matcher(code);
    while (time.find()) {
      String body = code.substring(time.end(), end(code, time.end()));
      if (WRAPS.matcher(body).find()) {
        bodies.add(body);
      }
    }
    return bodies;
  }

  /** Where the block ends that was opened before this place. */
  private static int end(String code, int from) {
    int open = 1;
    int at = from;
    while (open > 0) {
      char next = code.charAt(at++);
      open += next == '{' ? 1 : next == '}' ? -1 : 0;
    }
    return at;
  }
}
