package io.mortise.conformance.outside;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls of a script that counts how often each of them ran. Locks cannot show that, because their
 * scripts are safe to repeat. The keys are in the slots of the locks.
 */
final class Calls {
  static final String PREFIX = "calls:";
  private static final Script COUNT =
      Script.of("count", "return {redis.call('HINCRBY', KEYS[1], ARGV[1], 1)}");
  private static final long PAUSE = 5_000_000L;

  private final LockBackend backend;
  private final List<String> keys;
  private final Thread thread;
  private volatile boolean stopped;

  /** Starts to call on a backend of its own, through all faults, until it is closed. */
  Calls(WorkerOrders orders) {
    keys =
        orders.locks().stream()
            .flatMap(what -> Locks.resources(what).stream())
            .map(name -> PREFIX + '{' + name + '}')
            .distinct()
            .toList();
    backend =
        Locks.patiently(() ->
            provider(orders.provider())
                .open(
                    new BackendConfig(
                        URI.create(orders.uris().get(0)), Locks.TIMEOUT, "calls", Map.of())));
    thread = new Thread(() -> call(orders.name()), "worker-calls");
    thread.setDaemon(true);
    thread.start();
  }

  private static LockBackendProvider provider(String name) {
    return ServiceLoader.load(LockBackendProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void call(String worker) {
    for (int i = 0; !stopped; i++) {
      List<String> key = List.of(keys.get(i % keys.size()));
      try {
        Object unused =
            backend.execute(new ScriptCall(COUNT, key, List.of(worker + '/' + i), Locks.TIMEOUT));
      } catch (BackendException e) {
        // It may have run once, and is never sent again.
      }
      LockSupport.parkNanos(PAUSE);
    }
  }

  void close() {
    stopped = true;
    backend.close();
  }
}
