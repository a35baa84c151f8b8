package io.mortise.conformance.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * One version of a client. The file name has the version: {@code jedis-7.0.0.jar}.
 *
 * @param artifact the part of the name before the version
 * @param version without the suffix {@code .RELEASE}
 * @param file the jar
 */
public record ClientJar(String artifact, String version, Path file) {
  private static final String END = ".jar";

  /**
   * The versions in a folder. The build copies them there.
   *
   * @param folder of jars
   * @param artifact of the client
   * @return the jars of the client, oldest first
   */
  public static List<ClientJar> in(Path folder, String artifact) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> isVersionOf(artifact, file))
          .map(file -> of(artifact, file))
          .sorted(Comparator.comparing(ClientJar::numbers, Arrays::compare))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("no jars in " + folder + "; the build copies them", e);
    }
  }

  /**
   * Those that a test without much time runs on.
   *
   * @param versions oldest first
   * @return the oldest and the newest, or all with {@code -Dmortise.tests=all}
   */
  public static List<ClientJar> ends(List<ClientJar> versions) {
    return System.getProperty("mortise.tests", "").equals("all")
        ? versions
        : List.of(versions.get(0), versions.get(versions.size() - 1));
  }

  static boolean isVersionOf(String artifact, Path file) {
    return file.getFileName().toString().matches(artifact + "-\\d[^-]*\\" + END);
  }

  private static ClientJar of(String artifact, Path file) {
    String name = file.getFileName().toString();
    String version = name.substring(artifact.length() + 1, name.length() - END.length());
    return new ClientJar(artifact, version.replace(".RELEASE", ""), file);
  }

  private int[] numbers() {
    return Stream.of(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
  }

  /** The name of the test of this version. */
  @Override
  public String toString() {
    return artifact + ' ' + version;
  }
}
