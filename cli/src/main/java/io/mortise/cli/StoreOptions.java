package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that asks a store. */
final class StoreOptions {
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
  private static final String STANDARD_URI = "redis://localhost:6379";

  @Option(
      names = "--uri",
      paramLabel = "URI",
      description =
          "The store, as the application names it. Default: the environment variable "
              + DemoCommand.URI_VARIABLE
              + ", which keeps a password off the command line; else "
              + STANDARD_URI
              + ".")
  private @Nullable String uri;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "jedis or lettuce. Default: jedis.")
  private @Nullable String backend;

  @Option(
      names = "--key-prefix",
      paramLabel = "PREFIX",
      description = "The key prefix of the services. Default: mortise:")
  private @Nullable String prefix;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Text.Time.class,
      description = "How long one call of the store may take: 10ms to 10s. Default: 2s.")
  private @Nullable Duration timeout;

  LockService open() {
    return open(LockService.builder());
  }

  /** Opens a service with further options. What it would log, the commands tell themselves. */
  LockService open(LockService.Builder builder) {
    if (System.getProperty(LOG_LEVEL) == null) {
      System.setProperty(LOG_LEVEL, "off");
    }
    URI parsed = uri();
    builder.uri(parsed.toString()).provider(provider(parsed));
    try {
      if (prefix != null) {
        builder.keyPrefix(prefix);
      }
      if (timeout != null) {
        builder.commandTimeout(timeout);
      }
      return builder.open();
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, inOptions(String.valueOf(e.getMessage())), e);
    }
  }

  /** The message names options of the builder. */
  private static String inOptions(String message) {
    return message.replace("commandTimeout", "--timeout").replace("leaseTime", "the lease time");
  }

  /** Opens the store without a service, for questions that are not about locks. */
  LockBackend backend() {
    URI parsed = uri();
    return Backends.open(parsed, provider(parsed));
  }

  private URI uri() {
    return Backends.parse(given(uri, STANDARD_URI));
  }

  /**
   * The address of the store. The parser of the command line does not read the variable, because it
   * would take a {@code $} in a password for its own syntax.
   */
  static String given(@Nullable String option, String standard) {
    return Objects.requireNonNullElse(
        option, System.getenv().getOrDefault(DemoCommand.URI_VARIABLE, standard));
  }

  /** How long a call may take that goes past the service. */
  Duration timeout() {
    return Objects.requireNonNullElse(timeout, Duration.ofSeconds(2));
  }

  /** A key with the prefix of the services. */
  String key(String name) {
    return Objects.requireNonNullElse(prefix, "mortise:") + name;
  }

  private String provider(URI parsed) {
    List<String> serving = Backends.serving(parsed);
    if (serving.isEmpty()) {
      throw Backends.notServed(parsed);
    }
    if (backend == null) {
      return serving.get(0);
    }
    if (!serving.contains(backend)) {
      throw Failure.badArgument(
          "--backend %s does not serve '%s:'; use %s"
              .formatted(backend, parsed.getScheme(), String.join(", ", serving)));
    }
    return backend;
  }
}
