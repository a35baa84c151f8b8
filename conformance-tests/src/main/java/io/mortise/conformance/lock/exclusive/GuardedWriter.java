package io.mortise.conformance.lock.exclusive;

import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.LockService;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A process of its own at the other end of a {@link RemoteLock}. It holds a fenced lock from its
 * start, and writes one key with a guard and one without.
 */
final class GuardedWriter {
  static final String GUARDED = "-guarded";
  static final String BARE = "-bare";
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final FencedLock lock;
  private final LockBackend backend;
  private final KeyGuard guard;
  private final long token;

  private GuardedWriter(FencedLock lock, LockBackend backend) {
    this.lock = lock;
    this.backend = backend;
    guard = KeyGuard.of(backend);
    token = lock.lockAndGetToken();
  }

  /**
   * Executes one command per line: write, write-bare or unlock.
   *
   * @param args URI, provider, lock name, lease in ms
   */
  public static void main(String[] args) throws IOException {
    Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (LockBackend backend = RemoteLock.backend(args[0], args[1]);
        LockService service =
            RemoteLock.patiently(
                () -> LockService.builder().sharedBackend(backend).leaseTime(lease).open())) {
      GuardedWriter writer = new GuardedWriter(service.getFencedLock(args[2]), backend);
      System.out.println("ready");
      for (String command = in.readLine(); command != null; command = in.readLine()) {
        System.out.println(writer.obey(command));
      }
    }
  }

  private String obey(String command) {
    try {
      switch (command) {
        case "write" -> guard.set(lock.name() + GUARDED, "theirs", token);
        case "write-bare" -> set(backend, lock.name() + BARE, "theirs");
        case "unlock" -> lock.unlock();
        default -> throw new IllegalArgumentException(command);
      }
      return command;
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** Writes without a guard. */
  static void set(LockBackend backend, String key, String value) {
    Script set = Script.of("set", "return {redis.call('SET', KEYS[1], ARGV[1]) and 1}");
    List<Object> unused =
        backend.execute(new ScriptCall(set, List.of(key), List.of(value), TIMEOUT));
  }
}
