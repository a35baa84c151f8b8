package io.mortise.conformance.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A port belongs to one JVM, also while no server listens there. */
class FreePortTest {
  /** Prints the ports of a separate process. */
  public static void main(String[] args) {
    Stream.generate(FreePort::next).limit(50).forEach(System.out::println);
    System.out.flush();
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void noTwoProcessesAreGivenTheSamePort() throws Exception {
    Set<String> all = new HashSet<>();
    Stream.generate(FreePort::next).limit(50).map(String::valueOf).forEach(all::add);
    assertEquals(50, all.size(), "one JVM gives a port again only after all others");
    List<Process> others = List.of(start(), start(), start());
    try {
      for (Process other : others) {
        List<String> ports = other.inputReader().lines().limit(50).toList();
        assertEquals(50, ports.size());
        ports.forEach(port -> assertTrue(all.add(port), () -> port + " was given twice"));
      }
    } finally {
      others.forEach(Process::destroy);
    }
  }

  private static Process start() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    return new ProcessBuilder(java, "-cp", path, FreePortTest.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
