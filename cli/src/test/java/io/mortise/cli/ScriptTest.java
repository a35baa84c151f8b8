package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the root. Everything is built already, with the classes under test. */
class ScriptTest {
  @TempDir private Path root;

  @BeforeEach
  void build() throws IOException, InterruptedException {
    assumeTrue(runs("bash", "--version"), "there is no bash");
    Files.copy(Path.of("../mortise"), root.resolve("mortise"));
    Files.writeString(root.resolve("pom.xml"), "");
    for (String module :
        List.of(
            "spi",
            "backend-support",
            "api",
            "backend-inmemory",
            "backend-jedis",
            "backend-lettuce",
            "cli")) {
      Files.createDirectories(root.resolve(module + "/src/main"));
      Files.writeString(root.resolve(module + "/pom.xml"), "");
    }
    Files.createDirectories(root.resolve("cli/target"));
    writeJar(root.resolve("cli/target/mortise-cli-test.jar"));
    Files.createFile(root.resolve("cli/target/mortise.jsa")); // an archive that no JVM can use
    Path stamp = root.resolve("cli/target/mortise.stamp");
    Files.writeString(stamp, java() + "\n");
    Files.setLastModifiedTime(stamp, FileTime.fromMillis(System.currentTimeMillis() + 60_000));
  }

  /** Writes a jar that only refers to the class path of this test. */
  private static void writeJar(Path jar) throws IOException {
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toUri().toString())
            .collect(Collectors.joining(" "));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
    try (OutputStream file = Files.newOutputStream(jar)) {
      new JarOutputStream(file, manifest).close();
    }
  }

  private static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** The output of a command on both streams, with its exit code in the last line. */
  private String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TERM", "xterm");
    builder.environment().remove("NO_COLOR");
    Process process = builder.start();
    process.getOutputStream().close();
    String written = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    return written + "exit " + process.exitValue();
  }

  private String script() {
    return root.resolve("mortise").toString();
  }

  private String inTerminal(int columns, String interruptAt, String... arguments)
      throws IOException, InterruptedException {
    assumeTrue(runs("python3", "-c", "import pty, termios"), "there is no python3 with pty");
    List<String> command =
        new ArrayList<>(
            List.of(
                "python3",
                Path.of("src/test/resources/terminal.py").toAbsolutePath().toString(),
                String.valueOf(columns),
                interruptAt,
                "env"));
    command.addAll(List.of(arguments));
    return run(command.toArray(String[]::new));
  }

  private void touchSources() throws IOException {
    Files.setLastModifiedTime(
        root.resolve("cli/pom.xml"), FileTime.fromMillis(System.currentTimeMillis() + 120_000));
  }

  @Test
  void helpNeedsNoBuildOnceThereWasOne() throws IOException, InterruptedException {
    touchSources();

    for (String[] asked : new String[][] {{"--help"}, {"demo", "-h"}, {"--version"}}) {
      List<String> command = new ArrayList<>(List.of("bash", script()));
      command.addAll(List.of(asked));
      String help = run(command.toArray(String[]::new));
      assertFalse(help.contains("building"), help);
      assertTrue(help.endsWith("exit 0"), help);
    }
  }

  @Test
  void theFirstBuildShowsThatItGoesOnAndWhyItFailed() throws IOException, InterruptedException {
    Files.delete(root.resolve("cli/target/mortise.stamp"));
    Path mvn = Files.createDirectory(root.resolve("bin")).resolve("mvn");
    Files.writeString(mvn, "#!/bin/sh\nsleep 2\n[ ! -e fail ] || { echo no disk; exit 1; }\n");
    assertTrue(mvn.toFile().setExecutable(true));
    String path = "PATH=" + mvn.getParent() + ':' + System.getenv("PATH");

    Files.createFile(root.resolve("fail"));
    String failed = run("env", path, "bash", script(), "--version");
    assertTrue(failed.contains("no disk\nmortise: the build failed"), failed);
    assertTrue(failed.endsWith("exit 1"), failed);

    Files.delete(root.resolve("fail"));
    String built = inTerminal(80, "", path, "bash", script(), "--version");
    assertTrue(built.contains("\rmortise: building for 1 s ..."), built);
    assertTrue(built.contains("mortise unpackaged"), built);
  }

  @Test
  void elsewhereThanOnATerminalNothingIsColouredOrDrawnAnew()
      throws IOException, InterruptedException {
    String demo = run("bash", script(), "demo", "--seconds", "1");

    assertTrue(demo.endsWith("exit 0"), demo);
    assertFalse(demo.contains("\033") || demo.contains("\r"), demo);
    assertFalse(run("bash", script(), "--help").contains("\033"));
  }

  @Test
  void aNarrowTerminalShowsOneLineForEachRun() throws IOException, InterruptedException {
    String demo = inTerminal(40, "", "bash", script(), "demo", "--seconds", "1");

    List<String> drawn =
        Stream.of(demo.split("[\r\n]+"))
            .filter(line -> line.endsWith("\033[K"))
            .map(line -> line.replace("\033[K", ""))
            .toList();
    assertTrue(drawn.size() > 4, demo);
    assertTrue(drawn.stream().allMatch(line -> line.length() < 40), drawn.toString());
  }

  @Test
  void controlCEndsTheLine() throws IOException, InterruptedException {
    String demo = inTerminal(80, "increments", "bash", script(), "demo", "--seconds", "30");

    assertTrue(demo.contains("\033[K"), demo);
    String rest = demo.substring(demo.lastIndexOf("\033[K") + "\033[K".length());
    assertEquals("\r\nexit 0", rest.replace("^C", ""), "what follows the last line drawn");
  }

  @Test
  void coloursAreForTerminalsAndNotWithNoColor() throws IOException, InterruptedException {
    assertTrue(inTerminal(80, "", "bash", script(), "--help").contains("\033["));
    assertFalse(inTerminal(80, "", "NO_COLOR=1", "bash", script(), "--help").contains("\033["));
  }
}
