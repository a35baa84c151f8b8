package io.mortise.cli;

import io.mortise.spi.BackendConfig;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The plan of a demo.
 *
 * @param uri the store's URI; may hold a secret
 * @param backends the backend of each process
 * @param kind the kind of lock
 * @param retain how long a process keeps a lock that nobody uses
 * @param workers the number of threads in each process
 * @param duration the length of each run
 */
record DemoPlan(
    URI uri,
    List<String> backends,
    DemoLock kind,
    Duration retain,
    int workers,
    Duration duration) {
  int processes() {
    return backends.size();
  }

  @Override
  public String toString() {
    String endpoint = new BackendConfig(uri, duration, "", Map.of()).endpoint();
    return "%s, %s%s, a %s%s, on %s by %s, %d s for each run"
        .formatted(
            several(processes(), "process", "processes"),
            several(workers, "worker", "workers"),
            processes() == 1 ? "" : " each",
            kind == DemoLock.RED ? "Redlock" : kind.text() + " lock",
            retain.isZero() ? "" : " retained up to %d ms".formatted(retain.toMillis()),
            endpoint,
            String.join(" and ", new LinkedHashSet<>(backends)),
            duration.toSeconds());
  }

  private static String several(int number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }
}
