package io.mortise.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * What Maven Central demands of what is published, and what the BOM owes to an application.
 *
 * <p>It reads the POMs of the build, or those of a folder that a release was staged in. There it
 * also looks at the archives. It needs nothing but a JDK, so .ci/rehearse-release starts this file.
 */
final class CentralRules {
  private static final String BOM = "mortise-bom";

  /** What a POM may inherit. An address that is inherited must not get the artifact's name. */
  private static final Map<String, String> INHERITED =
      Map.of(
          "url", "child.project.url.inherit.append.path",
          "licenses/license/name", "",
          "licenses/license/url", "",
          "developers/developer/name", "",
          "scm/url", "child.scm.url.inherit.append.path",
          "scm/connection", "child.scm.connection.inherit.append.path",
          "scm/developerConnection", "child.scm.developerConnection.inherit.append.path");

  private final Map<String, Pom> poms;
  private final List<String> refused = new ArrayList<>();

  private CentralRules(Map<String, Pom> poms) {
    this.poms = poms;
  }

  /** A POM and the file that it was read from. */
  private record Pom(Path file, Element project) {
    String artifact() {
      return text(project, "artifactId").orElseThrow();
    }

    String packaging() {
      return text(project, "packaging").orElse("jar");
    }
  }

  /**
   * Checks a staged release: usage {@code java CentralRules.java FOLDER [--unsigned]}. It prints
   * what Maven Central would refuse, and then ends with 1.
   */
  public static void main(String... args) throws IOException {
    boolean signed = !List.of(args).contains("--unsigned");
    List<String> refused = staged(Path.of(args[0]), signed);
    refused.forEach(System.out::println);
    System.out.println(refused.isEmpty() ? "nothing is missing" : "refused: " + refused.size());
    if (!refused.isEmpty()) {
      System.exit(1);
    }
  }

  /** What would be refused of the modules of a build, one sentence each. */
  static List<String> modules(Path root) throws IOException {
    Map<String, Pom> poms = new TreeMap<>();
    Pom parent = read(root.resolve("pom.xml"));
    poms.put(parent.artifact(), parent);
    for (Element module : all(parent.project(), "modules/module")) {
      Pom pom = read(root.resolve(module.getTextContent().strip()).resolve("pom.xml"));
      poms.put(pom.artifact(), pom);
    }
    CentralRules rules = new CentralRules(poms);
    for (Pom pom : rules.published()) {
      rules.check(pom);
      rules.checkBuild(pom);
    }
    rules.checkBom();
    return rules.refused;
  }

  /** What would be refused of a folder in the form of a repository, one sentence each. */
  static List<String> staged(Path folder, boolean signed) throws IOException {
    Map<String, Pom> poms = new TreeMap<>();
    for (Path file : files(folder, ".pom")) {
      Pom pom = read(file);
      poms.put(pom.artifact(), pom);
    }
    CentralRules rules = new CentralRules(poms);
    poms.values().stream()
        .filter(rules::staysHere)
        .forEach(pom -> rules.refuse(pom, "should not be published"));
    for (Pom pom : rules.published()) {
      rules.check(pom);
      rules.checkFiles(pom, signed);
    }
    rules.checkBom();
    return rules.refused;
  }

  /** The modules whose POM, or one that it inherits from, does not say that they stay here. */
  private List<Pom> published() {
    return poms.values().stream().filter(pom -> !staysHere(pom)).toList();
  }

  private boolean staysHere(Pom pom) {
    return inherited(pom, "properties/maven.deploy.skip").filter("true"::equals).isPresent();
  }

  private void check(Pom pom) {
    for (String own : List.of("name", "description")) {
      if (text(pom.project(), own).isEmpty()) {
        refuse(pom, "has no " + own + " of its own");
      }
    }
    for (Map.Entry<String, String> entry : new TreeMap<>(INHERITED).entrySet()) {
      Optional<Pom> owner = owner(pom, entry.getKey());
      if (owner.isEmpty()) {
        refuse(pom, "has no " + entry.getKey());
      } else if (!owner.get().equals(pom) && !keeps(owner.get(), entry.getValue())) {
        refuse(pom, "inherits " + entry.getKey() + " with its own name at the end");
      }
    }
    for (Element version : all(pom.project(), "dependencies/dependency/version")) {
      if (version.getTextContent().contains("-SNAPSHOT")) {
        refuse(pom, "depends on a snapshot");
      }
    }
  }

  /** Whether the profiles that sign, publish and make archives reach a module. */
  private void checkBuild(Pom pom) {
    if (withParents(pom).stream().noneMatch(each -> each.artifact().equals(BOM))) {
      refuse(pom, "does not inherit from " + BOM + ", which has the profile release");
    }
    boolean hasArchives =
        Files.exists(pom.file().resolveSibling("src/main/java/module-info.java"))
            || all(pom.project(), "build/plugins/plugin/executions/execution/id").stream()
                .map(Element::getTextContent)
                .toList()
                .containsAll(List.of("sources", "javadoc"));
    if (pom.packaging().equals("jar") && !hasArchives) {
      refuse(pom, "has neither a module-info.java nor executions for sources and javadoc");
    }
  }

  /** Says whether a POM hands an address on as it is. The attribute is at its own or at its scm. */
  private static boolean keeps(Pom owner, String attribute) {
    if (attribute.isEmpty()) {
      return true;
    }
    Element at = attribute.contains(".scm.") ? all(owner.project(), "scm").get(0) : owner.project();
    return at.getAttribute(attribute).equals("false");
  }

  private void checkFiles(Pom pom, boolean signed) throws IOException {
    String pomFile = pom.file().getFileName().toString();
    String base = pomFile.substring(0, pomFile.length() - ".pom".length());
    if (base.endsWith("-SNAPSHOT")) {
      refuse(pom, "is a snapshot");
    }
    List<String> wanted = new ArrayList<>(List.of(".pom", "-cyclonedx.json"));
    if (pom.packaging().equals("jar")) {
      wanted.addAll(List.of(".jar", "-sources.jar", "-javadoc.jar"));
    }
    List<String> beside = new ArrayList<>(List.of("", ".md5", ".sha1"));
    if (signed) {
      beside.add(".asc");
    }
    for (String each : wanted) {
      for (String suffix : beside) {
        if (!Files.exists(pom.file().resolveSibling(base + each + suffix))) {
          refuse(pom, "has no file " + base + each + suffix);
        }
      }
    }
  }

  /** Every published jar has its version in the BOM, and the BOM names no other of ours. */
  private void checkBom() {
    TreeSet<String> jars = new TreeSet<>();
    published().stream()
        .filter(pom -> pom.packaging().equals("jar"))
        .forEach(pom -> jars.add(pom.artifact()));
    TreeSet<String> managed = new TreeSet<>();
    Pom bom = poms.get(BOM);
    if (bom == null) {
      refused.add("there is no " + BOM);
      return;
    }
    for (Element each :
        all(bom.project(), "dependencyManagement/dependencies/dependency/artifactId")) {
      String artifact = each.getTextContent().strip();
      if (artifact.startsWith("mortise-")) {
        managed.add(artifact);
      }
    }
    jars.stream().filter(jar -> !managed.contains(jar)).forEach(jar -> refuse(bom, "lacks " + jar));
    managed.stream()
        .filter(jar -> !jars.contains(jar))
        .forEach(jar -> refuse(bom, "names " + jar + ", which is not published"));
  }

  private void refuse(Pom pom, String why) {
    refused.add(pom.artifact() + " " + why);
  }

  private Optional<String> inherited(Pom pom, String path) {
    return owner(pom, path).flatMap(owner -> text(owner.project(), path));
  }

  /** The POM that an entry comes from: this one, or the next of its parents that has it. */
  private Optional<Pom> owner(Pom pom, String path) {
    return withParents(pom).stream()
        .filter(each -> text(each.project(), path).isPresent())
        .findFirst();
  }

  private List<Pom> withParents(Pom pom) {
    List<Pom> found = new ArrayList<>();
    Optional<Pom> next = Optional.of(pom);
    while (next.isPresent()) {
      found.add(next.get());
      next =
          text(next.get().project(), "parent/artifactId")
              .flatMap(parent -> Optional.ofNullable(poms.get(parent)));
    }
    return found;
  }

  private static Optional<String> text(Element from, String path) {
    return all(from, path).stream()
        .map(each -> each.getTextContent().strip())
        .filter(each -> !each.isEmpty())
        .findFirst();
  }

  /** The elements at a path of children, such as {@code scm/url}. */
  private static List<Element> all(Element from, String path) {
    int slash = path.indexOf('/');
    String first = slash < 0 ? path : path.substring(0, slash);
    List<Element> found = new ArrayList<>();
    for (Node each = from.getFirstChild(); each != null; each = each.getNextSibling()) {
      if (each instanceof Element child && child.getTagName().equals(first)) {
        found.addAll(slash < 0 ? List.of(child) : all(child, path.substring(slash + 1)));
      }
    }
    return found;
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private static Pom read(Path file) throws IOException {
    try {
      return new Pom(
          file,
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement());
    } catch (SAXException | ParserConfigurationException e) {
      throw new UncheckedIOException(new IOException("cannot read " + file, e));
    }
  }
}
