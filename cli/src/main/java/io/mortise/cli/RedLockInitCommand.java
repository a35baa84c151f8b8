package io.mortise.cli;

import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lets the new servers of a Redlock vote at once. */
@Command(
    name = "init",
    description = {
      "Let the servers of a Redlock vote at once, at their first start. Otherwise each waits for the"
          + " longest lease. All must be reachable and have no key with the prefix. Members and"
          + " longest lease must be those of RedLock.withQuarantine in the application.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExample:%n",
    footer = {
      "  mortise redlock init --longest-lease 30s --uri redis://a --uri redis://b --uri redis://c"
    })
final class RedLockInitCommand implements Callable<Integer> {
  private static final Pattern LENGTH = Pattern.compile("([1-9]\\d{0,8})(ms|s|m|h)");
  private static final Duration STANDARD_LEASE_TIME = Duration.ofSeconds(30);

  @Option(
      names = "--uri",
      paramLabel = "URI",
      required = true,
      description = "A member's server, as the application names it. Once for each member.")
  private List<String> uris = new ArrayList<>();

  @Option(
      names = "--longest-lease",
      paramLabel = "TIME",
      required = true,
      description = "The longest lease of the set: 500ms, 30s, 5m or 1h.")
  private String longest = "";

  @Option(
      names = "--key-prefix",
      paramLabel = "PREFIX",
      description = "The key prefix of the services. Default: mortise:")
  private @Nullable String prefix;

  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  RedLockInitCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    Duration lease = length(longest);
    List<LockService> services = new ArrayList<>();
    try {
      uris.forEach(uri -> services.add(open(Backends.parse(uri), lease)));
      LeasedLock[] members =
          services.stream().map(each -> each.getLock("init")).toArray(LeasedLock[]::new);
      RedLock.of(members).withQuarantine(lease).init();
    } catch (IllegalStateException e) {
      throw new Failure(Failure.NO_STORE, String.valueOf(e.getMessage()), e);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    } finally {
      services.forEach(LockService::close);
    }
    String told =
        "%d servers vote from now on, for leases of at most %s".formatted(uris.size(), longest);
    Map<String, @Nullable Object> object =
        Json.object("servers", uris.size(), "longestLeaseMillis", lease);
    Printer.print(streams, List.of(printer.json() ? Json.of(object) : told));
    return 0;
  }

  private LockService open(URI uri, Duration lease) {
    List<String> serving = Backends.serving(uri);
    if (serving.isEmpty()) {
      throw Backends.notServed(uri);
    }
    LockService.Builder builder =
        LockService.builder().uri(uri.toString()).provider(serving.get(0));
    if (lease.compareTo(STANDARD_LEASE_TIME) < 0) {
      builder.leaseTime(lease); // a member's lease may not be longer
    }
    if (prefix != null) {
      builder.keyPrefix(prefix);
    }
    return builder.open();
  }

  private static Duration length(String text) {
    Matcher parts = LENGTH.matcher(text);
    if (!parts.matches()) {
      throw Failure.badArgument(
          "--longest-lease %s is no time; write 500ms, 30s, 5m or 1h".formatted(text));
    }
    long number = Long.parseLong(parts.group(1));
    return switch (parts.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }
}
