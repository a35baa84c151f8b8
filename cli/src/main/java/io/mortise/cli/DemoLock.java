package io.mortise.cli;

import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The kinds of lock that can guard the counter. */
enum DemoLock {
  PLAIN,
  FAIR,
  FENCED,
  WRITE,
  MULTI,
  RED;

  /**
   * The member timeout of a Redlock: a third of the demo's lease. All members are on one server, so
   * no other member would answer sooner.
   */
  private static final Duration PATIENCE = LocalParty.LEASE.dividedBy(3);

  /** The lock of that name. The kinds with several members also use names that begin with it. */
  LeasedLock of(LockService service, String name) {
    return switch (this) {
      case PLAIN -> service.getLock(name);
      case FAIR -> service.getFairLock(name);
      case FENCED -> service.getFencedLock(name);
      case MULTI ->
          MultiLock.of(
              service.getLock(name), service.getLock(name + "-2"), service.getLock(name + "-3"));
      case WRITE -> service.getReadWriteLock(name).writeLock();
      case RED -> // members on one server show the algorithm, not its use
          RedLock.of(
                  service.getLock(name), service.getLock(name + "-2"), service.getLock(name + "-3"))
              .withMemberTimeout(PATIENCE);
    };
  }

  static DemoLock named(String text) {
    return Arrays.stream(values())
        .filter(kind -> kind.text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> Failure.badArgument("--kind %s is not known; use %s".formatted(text, list())));
  }

  private static String list() {
    return Arrays.stream(values()).map(DemoLock::text).collect(Collectors.joining(", "));
  }

  /** The name in the user's spelling. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
