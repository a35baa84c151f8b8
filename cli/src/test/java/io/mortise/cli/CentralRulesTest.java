package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** This build can be released, and the rules for that refuse what Maven Central refuses. */
class CentralRulesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final String ADDRESSES =
      """
      <url>u</url>
      <licenses><license><name>n</name><url>u</url></license></licenses>
      <developers><developer><name>n</name></developer></developers>
      <scm><url>u</url><connection>c</connection><developerConnection>d</developerConnection></scm>
      """;
  private static final String NAMES = "<name>n</name><description>d</description>";
  private static final String PARENT = "<parent><artifactId>mortise-parent</artifactId></parent>";

  @TempDir private Path build;

  @BeforeEach
  void aBuildOfOneModule() throws IOException {
    Files.createDirectories(build.resolve("api/src/main/java"));
    Files.createFile(build.resolve("api/src/main/java/module-info.java"));
    write(
        "",
        "mortise-parent",
        "<parent><artifactId>mortise-bom</artifactId></parent><packaging>pom</packaging>"
            + "<modules><module>bom</module><module>api</module></modules>");
    bom(
        "<project child.project.url.inherit.append.path='false'>",
        ADDRESSES.replace(
            "<scm>",
            "<scm child.scm.url.inherit.append.path='false'"
                + " child.scm.connection.inherit.append.path='false'"
                + " child.scm.developerConnection.inherit.append.path='false'>"));
    write("api", "mortise-api", PARENT);
  }

  private void bom(String start, String content) throws IOException {
    write("bom", "mortise-bom", managed("mortise-api") + "<packaging>pom</packaging>" + content);
    Path file = build.resolve("bom/pom.xml");
    Files.writeString(file, Files.readString(file).replace("<project>", start));
  }

  private static String managed(String artifact) {
    return "<dependencyManagement><dependencies><dependency><artifactId>"
        + artifact
        + "</artifactId></dependency></dependencies></dependencyManagement>";
  }

  private void write(String folder, String artifact, String content) throws IOException {
    Files.createDirectories(build.resolve(folder));
    Files.writeString(
        build.resolve(folder).resolve("pom.xml"),
        "<project><artifactId>%s</artifactId>%s%s</project>".formatted(artifact, NAMES, content));
  }

  private List<String> refused() throws IOException {
    return CentralRules.modules(build);
  }

  @Test
  void nothingIsMissingInThisBuild() throws IOException {
    assertEquals(List.of(), CentralRules.modules(ROOT));
  }

  @Test
  void aCompleteModulePasses() throws IOException {
    assertEquals(List.of(), refused());
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    bom("<project>", "<licenses><license><name>n</name></license></licenses>");
    assertEquals(
        List.of(
            "mortise-api has no developers/developer/name",
            "mortise-api has no licenses/license/url",
            "mortise-api has no scm/connection",
            "mortise-api has no scm/developerConnection",
            "mortise-api has no scm/url",
            "mortise-api has no url"),
        refused().subList(0, 6));
  }

  @Test
  void anInheritedAddressWouldGetTheNameOfTheModule() throws IOException {
    bom("<project>", ADDRESSES);
    assertEquals(
        List.of(
            "mortise-api inherits scm/connection with its own name at the end",
            "mortise-api inherits scm/developerConnection with its own name at the end",
            "mortise-api inherits scm/url with its own name at the end",
            "mortise-api inherits url with its own name at the end"),
        refused().subList(0, 4));
  }

  @Test
  void aModuleWithoutTheParentGetsNoSignature() throws IOException {
    write("api", "mortise-api", ADDRESSES);
    assertEquals(
        List.of("mortise-api does not inherit from mortise-bom, which has the profile release"),
        refused());
  }

  @Test
  void aNewModuleNeedsArchivesAndAPlaceInTheBom() throws IOException {
    Files.delete(build.resolve("api/src/main/java/module-info.java"));
    write("api", "mortise-new", PARENT);
    assertEquals(
        List.of(
            "mortise-new has neither a module-info.java nor executions for sources and javadoc",
            "mortise-bom lacks mortise-new",
            "mortise-bom names mortise-api, which is not published"),
        refused());
  }

  @Test
  void aModuleThatStaysHereNeedsNothing() throws IOException {
    write(
        "api",
        "mortise-api",
        "<properties><maven.deploy.skip>true</maven.deploy.skip></properties>");
    assertEquals(List.of("mortise-bom names mortise-api, which is not published"), refused());
  }

  @Test
  void aSnapshotOfAnotherProjectIsRefused() throws IOException {
    write(
        "api",
        "mortise-api",
        PARENT
            + "<dependencies><dependency><version>1-SNAPSHOT</version></dependency></dependencies>");
    assertEquals(List.of("mortise-api depends on a snapshot"), refused());
  }

  @Test
  void aStagedModuleNeedsAllItsFiles() throws IOException {
    for (String name : List.of("bom", "api")) {
      Path staged = Files.createDirectories(build.resolve("staged"));
      Files.copy(build.resolve(name + "/pom.xml"), staged.resolve(name + "-1.pom"));
    }
    List<String> refused = CentralRules.staged(build.resolve("staged"), true);
    for (String file : List.of("api-1-javadoc.jar", "api-1-sources.jar", "api-1.pom.asc")) {
      assertTrue(refused.contains("mortise-api has no file " + file), refused::toString);
    }
  }

  @Test
  void aStagedModuleThatShouldStayHereIsRefused() throws IOException {
    Path staged = Files.createDirectories(build.resolve("staged"));
    Files.copy(build.resolve("bom/pom.xml"), staged.resolve("bom-1.pom"));
    write(
        "api",
        "mortise-jmh",
        "<properties><maven.deploy.skip>true</maven.deploy.skip></properties>");
    Files.copy(build.resolve("api/pom.xml"), staged.resolve("jmh-1.pom"));
    List<String> refused = CentralRules.staged(staged, false);
    assertEquals("mortise-jmh should not be published", refused.get(0));
  }

  /** The version of the samples is that of the build, so that a checkout can start them. */
  @Test
  void theSamplesUseTheVersionOfThisBuild() throws IOException {
    String version = first("<version>([^<]+)<", Files.readString(ROOT.resolve("bom/pom.xml")));
    try (Stream<Path> samples = Files.list(ROOT.resolve("samples"))) {
      List<Path> poms =
          samples.map(each -> each.resolve("pom.xml")).filter(Files::exists).sorted().toList();
      assertEquals(3, poms.size(), poms::toString);
      for (Path pom : poms) {
        assertEquals(version, first("<mortise.version>([^<]+)<", Files.readString(pom)));
      }
    }
  }

  /** Once the log of changes has a release before this version, the two are compared. */
  @Test
  void theReleaseBeforeIsTheBaselineOfTheComparison() throws IOException {
    String current = first("<version>([^<]+)<", Files.readString(ROOT.resolve("bom/pom.xml")));
    Optional<String> before =
        Pattern.compile("^## (\\d+\\.\\d+\\.\\d+) \\((?!not released)", Pattern.MULTILINE)
            .matcher(Files.readString(ROOT.resolve("CHANGELOG.md")))
            .results()
            .map(heading -> heading.group(1))
            .filter(version -> !version.equals(current.replace("-SNAPSHOT", "")))
            .findFirst();
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    assertEquals(before.orElse("none"), first("<api.baseline>([^<]+)<", pom));
    assertEquals(
        String.valueOf(before.isEmpty()), first("<japicmp.skip>([^<]+)<", pom), "in pom.xml");
  }

  private static String first(String regex, String text) {
    Matcher found = Pattern.compile(regex).matcher(text);
    assertTrue(found.find(), regex);
    return found.group(1);
  }
}
