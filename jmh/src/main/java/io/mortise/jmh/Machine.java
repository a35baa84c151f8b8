package io.mortise.jmh;

import io.lettuce.core.RedisClient;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Pin;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.springframework.integration.redis.util.RedisLockRegistry;
import redis.clients.jedis.Jedis;

/** The facts that a reader must know of a run: how, when, on which machine. */
public final class Machine {
  private static final String PINNED =
      "Measurements of one thread ran with their server on one processor, by `taskset`. Where a change of process was measured, the server had one for itself.";
  private static final String NOT_PINNED =
      "All measurements ran on any processor, because there is no `taskset` here. Mind their spread.";

  private Machine() {}

  static List<String> describe(RedisServer server, Effort effort, Pin pin, long minutes)
      throws IOException {
    String caution =
        "A quick run: one round, and a second for each figure. It is an impression, not a result.";
    return List.of(
        "Written by `./mortise bench%s` on %s; %d round%s, %d minutes."
            .formatted(
                effort.quick() ? " --quick" : "",
                LocalDate.now(ZoneOffset.UTC),
                effort.rounds(),
                effort.rounds() == 1 ? "" : "s",
                minutes),
        "Machine: %d processors (%s), %s, load %.1f at the end; Redis %s on the same machine, JDK %s."
            .formatted(
                Runtime.getRuntime().availableProcessors(),
                processor(),
                System.getProperty("os.name") + ' ' + System.getProperty("os.version"),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                redis(server),
                Runtime.version()),
        versions(),
        pin.isPossible() ? PINNED : NOT_PINNED,
        effort.quick() ? caution : "");
  }

  /**
   * The processor of this machine.
   *
   * @return the name of its model, or of its architecture
   * @throws IOException the system's list of processors cannot be read
   */
  public static String processor() throws IOException {
    Path file = Path.of("/proc/cpuinfo");
    if (!Files.exists(file)) {
      return System.getProperty("os.arch");
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    }
  }

  /**
   * The version of a server.
   *
   * @param server a running server
   * @return such as {@code 7.0.15}
   */
  public static String redis(RedisServer server) {
    Matcher version =
        Pattern.compile("redis_version:(\\S+)")
            .matcher(String.valueOf(server.command("INFO", "server")));
    return version.find() ? version.group(1) : "?";
  }

  private static String versions() {
    return "Contestants: Mortise %s; Jedis %s; Lettuce %s; Redisson %s; spring-integration-redis %s on Lettuce."
        .formatted(
            version(LockService.class),
            version(Jedis.class),
            version(RedisClient.class),
            version(Redisson.class),
            version(RedisLockRegistry.class));
  }

  /**
   * The version in the name of a library's jar. All jars have one there, but not all have one in
   * the manifest.
   *
   * @param type a class of the library
   * @return the version, or a question mark if the classes are not in a jar
   */
  public static String version(Class<?> type) {
    String jar = type.getProtectionDomain().getCodeSource().getLocation().getPath();
    Matcher version = Pattern.compile("-(\\d[^/]*?)(\\.RELEASE)?\\.jar").matcher(jar);
    return version.find() ? version.group(1) : "?";
  }
}
