package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;

/**
 * The names of hosts, as a JVM of its own knows them. A test moves them while that JVM runs, as a
 * failover by DNS does. They are in a file that the JVM reads at each look-up. Not thread-safe.
 */
public final class HostNames implements AutoCloseable {
  private final Map<String, String> addresses = new TreeMap<>(Map.of("localhost", "127.0.0.1"));
  private final Path file;

  /** Knows localhost alone. */
  public HostNames() {
    try {
      file = Files.createTempFile("mortise-hosts", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    write();
  }

  /** Skips the test on a machine that has only one address of the network 127. */
  public static void assumeSeveralAddresses() {
    Assumptions.assumeTrue(
        System.getProperty("os.name").startsWith("Linux"), "only Linux has 127.0.0.2 and more");
  }

  /**
   * Gives a name an address, or another one.
   *
   * @param name the name
   * @param address its only address from now on
   */
  public void lead(String name, String address) {
    addresses.put(name, address);
    write();
  }

  /**
   * Takes a name away.
   *
   * @param name nobody knows it from now on
   */
  public void forget(String name) {
    addresses.remove(name);
    write();
  }

  /** A reader sees the old file or the new one. */
  private void write() {
    try {
      Path next = Path.of(file + ".next");
      Files.write(
          next,
          addresses.entrySet().stream()
              .map(each -> each.getValue() + ' ' + each.getKey())
              .toList());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What makes a JVM know these names, and keep none of them.
   *
   * @return options of the command line
   */
  public List<String> options() {
    return List.of("-Djdk.net.hosts.file=" + file, "-Dsun.net.inetaddr.ttl=0");
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
