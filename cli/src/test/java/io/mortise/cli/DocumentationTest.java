package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** The project's pages: links resolve, samples compile, and no retired word appears. */
class DocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern FENCE =
      Pattern.compile("^ *```(\\w*)\n(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE);

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

  /** The imports that a reader of a sample would add. */
  private static final String IMPORTS =
      """
      import static io.mortise.junit.LockAssertions.assertThat;
      import static org.junit.jupiter.api.Assertions.*;
      import io.mortise.*;
      import io.mortise.backend.inmemory.*;
      import io.mortise.backend.jedis.*;
      import io.mortise.backend.lettuce.*;
      import io.mortise.junit.*;
      import io.micronaut.context.annotation.Bean;
      import io.micronaut.context.annotation.Factory;
      import io.micronaut.context.annotation.Value;
      import io.micronaut.context.event.BeanCreatedEvent;
      import io.micronaut.context.event.BeanCreatedEventListener;
      import io.mortise.reactor.ReactiveLock;
      import io.mortise.spi.*;
      import io.mortise.spring.*;
      import jakarta.enterprise.context.ApplicationScoped;
      import jakarta.enterprise.inject.Disposes;
      import jakarta.enterprise.inject.Produces;
      import jakarta.inject.Singleton;
      import java.sql.*;
      import java.time.Duration;
      import java.time.Instant;
      import java.util.*;
      import java.util.concurrent.*;
      import java.util.concurrent.atomic.*;
      import java.util.concurrent.locks.Condition;
      import java.util.concurrent.locks.Lock;
      import java.util.function.*;
      import javax.sql.DataSource;
      import org.eclipse.microprofile.config.inject.ConfigProperty;
      import org.junit.jupiter.api.Test;
      import org.junit.jupiter.api.extension.RegisterExtension;
      import reactor.core.publisher.Flux;
      import reactor.core.publisher.Mono;
      import org.springframework.scheduling.annotation.Scheduled;
      import org.springframework.transaction.annotation.Transactional;
      """;

  /** Pages of a framework whose annotations are not those of Spring, and their package. */
  private static final Map<String, String> PACKAGES =
      Map.of("micronaut.md", "io.mortise.micronaut", "reactive-and-cdi.md", "io.mortise.cdi");

  /** Retired words, which docs/glossary.md has replaced. */
  private static final Pattern RETIRED =
      Pattern.compile(
          "\\b(whoever|whomever|stands? in line|lets? in|thrown out|throws out|red locks?"
              + "|hand-?overs?|outbox|compensator|claimer|letters? that)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("//[^\n]*|/\\*.*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      docs.filter(page -> page.toString().endsWith(".md")).forEach(pages::add);
    }
    pages.add(ROOT.resolve("README.md"));
    pages.add(ROOT.resolve("CONTRIBUTING.md"));
    pages.add(ROOT.resolve("SECURITY.md"));
    pages.add(ROOT.resolve("samples/README.md"));
    pages.add(ROOT.resolve("site/README.md"));
    assertTrue(pages.size() > 20, pages::toString);
    return pages;
  }

  private static String prose(Path page) throws IOException {
    return FENCE.matcher(Files.readString(page)).replaceAll("").replaceAll("`[^`\n]*`", "``");
  }

  @Test
  void everyRelativeLinkResolves() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(FENCE.matcher(Files.readString(page)).replaceAll(""));
      while (link.find()) {
        String target = link.group(1);
        if (!target.contains("://") && !target.startsWith("mailto:") && !resolves(page, target)) {
          broken.add(ROOT.relativize(page) + " -> " + target);
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  private static boolean resolves(Path page, String target) throws IOException {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    return hash < 0 || anchors(file).contains(target.substring(hash + 1));
  }

  /** The anchors that GitHub makes of headings. */
  private static Set<String> anchors(Path file) throws IOException {
    String text = FENCE.matcher(Files.readString(file)).replaceAll("");
    Set<String> anchors = new HashSet<>();
    Matcher heading = HEADING.matcher(text);
    while (heading.find()) {
      String slug =
          heading
              .group(1)
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      String free = slug;
      for (int i = 1; !anchors.add(free); i++) {
        free = slug + '-' + i;
      }
    }
    ANCHOR.matcher(text).results().forEach(each -> anchors.add(each.group(1)));
    return anchors;
  }

  @Test
  void everySampleCompiles() throws IOException {
    List<String> broken = new ArrayList<>();
    int samples = 0;
    for (Path page : pages()) {
      Matcher fence = FENCE.matcher(Files.readString(page));
      while (fence.find()) {
        if (fence.group(1).equals("java")) {
          samples++;
          compile(fence.group(2), imports(page))
              .ifPresent(why -> broken.add(ROOT.relativize(page) + ": " + why));
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(samples > 20, "samples: " + samples);
  }

  private static String imports(Path page) {
    String framework = PACKAGES.getOrDefault(page.getFileName().toString(), "io.mortise.spring");
    return IMPORTS.replace("io.mortise.spring.*", framework + ".*");
  }

  /**
   * Compiles a sample as statements, or else as members of a class. Returns the compiler's errors.
   */
  private static Optional<String> compile(String sample, String imports) {
    if (sample.contains("redis.clients.jedis.RedisClient") && !hasRedisClient()) {
      return Optional.empty(); // Jedis before 7 has another API
    }
    if (sample.contains("@SpringBootTest")) {
      return Optional.empty(); // MovedTimeTest of the Boot starter has it
    }
    String asStatements =
        imports + "class Sample {\n void run() throws Exception {\n" + sample + "}\n}\n";
    String asMembers = imports + "class Sample {\n" + sample + "}\n";
    String first = errors(asStatements);
    if (first.isEmpty() || errors(asMembers).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(first + "\n" + sample);
  }

  private static boolean hasRedisClient() {
    try {
      Class<?> unused = Class.forName("redis.clients.jedis.RedisClient");
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static String errors(String code) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///Sample.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
          }
        };
    StringWriter said = new StringWriter();
    List<String> options =
        List.of("-proc:none", "-implicit:none", "-Xdiags:compact", "-d", "target/samples");
    try {
      Files.createDirectories(Path.of("target/samples"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean compiled = compiler.getTask(said, null, null, options, null, List.of(source)).call();
    return compiled ? "" : said.toString();
  }

  /** A managed version wins in every order of dependencies. Jedis brings 1.7. */
  @Test
  void theBomManagesTheVersionOfSlf4jThatIsBuiltWith() throws IOException {
    String built = first("<slf4j\\.version>([^<]+)<", Files.readString(ROOT.resolve("pom.xml")));
    String managed =
        first(
            "<artifactId>slf4j-api</artifactId>\\s*<version>([^<]+)<",
            Files.readString(ROOT.resolve("bom/pom.xml")));
    assertEquals(built, managed);
    assertTrue(managed.startsWith("2."), managed);
  }

  private static String first(String regex, String text) {
    Matcher found = Pattern.compile(regex).matcher(text);
    assertTrue(found.find(), regex);
    return found.group(1);
  }

  @Test
  void noPageUsesARetiredWord() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path page : pages()) {
      RETIRED
          .matcher(prose(page))
          .results()
          .forEach(each -> found.add(ROOT.relativize(page) + ": " + each.group()));
    }
    assertEquals(List.of(), found);
  }

  /** Comments and messages alike: everything but the code itself. */
  @Test
  void noCommentAndNoMessageUsesAWordThatWasGivenUp() throws IOException {
    List<String> found = new ArrayList<>();
    int files = 0;
    for (Path source : sources()) {
      files++;
      Matcher said = COMMENT_OR_TEXT.matcher(Files.readString(source));
      while (said.find()) {
        RETIRED
            .matcher(said.group())
            .results()
            .forEach(each -> found.add(ROOT.relativize(source) + ": " + each.group()));
      }
    }
    assertEquals(List.of(), found);
    assertTrue(files > 200, "files: " + files);
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path folder : List.of(ROOT, ROOT.resolve("integrations"), ROOT.resolve("samples"))) {
      // No walk: files in the folders of modules come and go while their tests run.
      for (File module : Objects.requireNonNull(folder.toFile().listFiles())) {
        Path main = module.toPath().resolve("src/main/java");
        if (Files.exists(main)) {
          try (Stream<Path> files = Files.walk(main)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
