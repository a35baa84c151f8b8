package io.mortise.conformance.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a module links with a version of its client, or with everything on the class path.
 * It looks up each class, field and method to which the module's class files refer, by name and
 * descriptor, and the annotations with the classes that they name. It also covers paths that no
 * test takes, and each method that the module has to implement. A missing reference fails only at
 * run time, and only when a thread reaches it. A missing annotation is ignored.
 *
 * <p>Superclasses and interfaces are searched as the JVM does. Those outside the client come from
 * the class path. Two defects go unnoticed: a lambda for an interface whose method was renamed, and
 * a method that has become static. Not thread-safe.
 */
public final class Linkage {
  /** The prefix of all classes. */
  private static final String EVERYTHING = "";

  private final Map<String, ClassFacts> own = new TreeMap<>();
  private final List<Guard> guards = new ArrayList<>();
  private final String client;

  private Linkage(String client) {
    this.client = client;
  }

  /**
   * Reads the module's classes, to look at their references to its client.
   *
   * @param classes the folder of its class files
   * @param client the prefix of the client's class names, such as {@code "redis.clients."}
   * @return the links, ready to be compared with versions
   */
  public static Linkage of(Path classes, String client) {
    Linkage linkage = new Linkage(client.replace('.', '/'));
    try {
      ClassFacts.below(classes).forEach(facts -> linkage.own.put(facts.name(), facts));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return linkage;
  }

  /**
   * Reads a module's classes, to look at all their references.
   *
   * @param classes the folder of its class files
   * @return the links, ready to be compared with the class path
   */
  public static Linkage of(Path classes) {
    return of(classes, EVERYTHING);
  }

  /**
   * Reads the classes of the module that has a class, to look at all their references.
   *
   * @param type any class of the module's jar, or of its folder
   * @return the links, ready to be compared with the class path
   */
  public static Linkage beside(Class<?> type) {
    try {
      Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(place)) {
        return of(place);
      }
      try (FileSystem jar = FileSystems.newFileSystem(place)) {
        return of(jar.getPath("/"));
      }
    } catch (IOException | URISyntaxException e) {
      throw new IllegalArgumentException("the class files beside " + type, e);
    }
  }

  /**
   * The classes that were read.
   *
   * @return their names, sorted
   */
  public List<String> classes() {
    return own.keySet().stream().map(name -> name.replace('/', '.')).toList();
  }

  /**
   * The texts in the module's code, with which it may look for a class by name. Those of
   * annotations are not among them.
   *
   * @return each once
   */
  public Set<String> texts() {
    return own.values().stream()
        .flatMap(facts -> facts.texts.stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** A reference that is allowed to be missing. */
  private record Guard(String by, String to) {
    boolean permits(String problem) {
      return problem.startsWith(by + ": ") && problem.contains(to);
    }
  }

  /**
   * Allows one class to refer to a class that some versions do not have. The class must be ready
   * for that: {@code catch (LinkageError)} around the one place.
   *
   * @param by the class with the reference, without its package
   * @param to the class it refers to, without the package
   * @param reason for the reader
   * @return this
   */
  public Linkage guarded(String by, String to, String reason) {
    Objects.requireNonNull(reason);
    guards.add(new Guard(by, to));
    return this;
  }

  /**
   * The references that a version lacks.
   *
   * @param jar the version
   * @return a line for each missing reference and its class, without the guarded ones
   */
  public List<String> missing(ClientJar jar) {
    return unguarded(problems(jar));
  }

  /**
   * The references that the class path lacks.
   *
   * @return a line for each missing reference and its class, without the guarded ones
   */
  public List<String> missing() {
    return unguarded(problems(ClassLoader::getSystemResourceAsStream));
  }

  private List<String> unguarded(List<String> problems) {
    return problems.stream()
        .filter(problem -> guards.stream().noneMatch(guard -> guard.permits(problem)))
        .toList();
  }

  /**
   * The guards without a purpose: every version has what they allow to be missing.
   *
   * @param jars all versions
   * @return a line each
   */
  public List<String> needlesslyGuarded(List<ClientJar> jars) {
    List<String> problems = jars.stream().flatMap(jar -> problems(jar).stream()).toList();
    return guards.stream()
        .filter(guard -> problems.stream().noneMatch(guard::permits))
        .map(Guard::toString)
        .toList();
  }

  private List<String> problems(ClientJar jar) {
    try (JarFile file = new JarFile(jar.file().toFile())) {
      return problems(name -> open(file, name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable InputStream open(JarFile jar, String name) throws IOException {
    ZipEntry entry = jar.getEntry(name);
    if (entry != null) {
      return jar.getInputStream(entry);
    }
    return name.startsWith(client) ? null : ClassLoader.getSystemResourceAsStream(name);
  }

  private List<String> problems(ClassFiles others) {
    World world = new World(others);
    return own.values().stream()
        .flatMap(facts -> world.problems(facts).map(problem -> simpleName(facts) + ": " + problem))
        .toList();
  }

  private static String simpleName(ClassFacts facts) {
    return facts.name().substring(facts.name().lastIndexOf('/') + 1);
  }

  /** Opens a class file by the class's internal name with {@code .class}; null if it is absent. */
  private interface ClassFiles {
    @Nullable InputStream open(String name) throws IOException;
  }

  /** The module's classes among others, such as those of one version of the client. */
  private final class World {
    private final ClassFiles others;
    private final Map<String, @Nullable ClassFacts> read = new HashMap<>();

    World(ClassFiles others) {
      this.others = others;
    }

    Stream<String> problems(ClassFacts facts) {
      return Stream.of(
              facts.namedClasses.stream().flatMap(this::absent),
              facts.namedMembers.stream().flatMap(this::unresolved),
              unimplemented(facts))
          .flatMap(problems -> problems);
    }

    private Stream<String> absent(String name) {
      if (!isClients(name) || own.containsKey(name)) {
        return Stream.empty();
      }
      ClassFacts found = find(name);
      boolean there = found != null && found.isPublic();
      return there ? Stream.empty() : Stream.of("no class " + name.replace('/', '.'));
    }

    private Stream<String> unresolved(ClassFacts.Member member) {
      ClassFacts owner = find(member.owner());
      if (owner == null || !concernsClient(member.owner())) {
        return Stream.empty(); // the absent class has its own line already
      }
      if (!member.isField() && owner.isInterface() != member.ofInterface()) {
        return Stream.of("an interface or not? " + member);
      }
      boolean there =
          hierarchy(member.owner())
              .anyMatch(each ->
                  own.containsKey(each.name()) ? each.declares(member) : each.offers(member));
      return there ? Stream.empty() : Stream.of("no " + member);
    }

    private Stream<String> unimplemented(ClassFacts facts) {
      if (facts.isAbstract() || !concernsClient(facts.name())) {
        return Stream.empty();
      }
      return hierarchy(facts.name())
          .filter(type -> isClients(type.name()))
          .flatMap(ClassFacts::abstractMethods)
          .distinct()
          .filter(
              method -> hierarchy(facts.name()).noneMatch(type -> type.implementsMethod(method)))
          .map(method -> "does not implement " + method);
    }

    private boolean concernsClient(String name) {
      return hierarchy(name).anyMatch(type -> isClients(type.name()));
    }

    private boolean isClients(String name) {
      return name.startsWith(client);
    }

    /** The class, and every supertype that can be found. */
    private Stream<ClassFacts> hierarchy(String name) {
      ClassFacts facts = find(name);
      return facts == null
          ? Stream.empty()
          : Stream.concat(Stream.of(facts), facts.supertypes().stream().flatMap(this::hierarchy));
    }

    private @Nullable ClassFacts find(String name) {
      if (own.containsKey(name)) {
        return own.get(name);
      }
      if (!read.containsKey(name)) {
        read.put(name, readOther(name));
      }
      return read.get(name);
    }

    private @Nullable ClassFacts readOther(String name) {
      try (InputStream in = others.open(name + ".class")) {
        return in == null ? null : ClassFacts.read(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
