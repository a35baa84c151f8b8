package io.mortise.conformance.client;

import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The tasks of a backend with its client, in seconds: locks, messages, renewal, a lost lock and a
 * frozen server. It runs with every supported version of the client, so it refers to none of them.
 */
public final class ClientSmoke {
  private static final Duration LEASE = Duration.ofMillis(1500);
  private static final Duration COMMAND = Duration.ofMillis(500);

  private static final String SECRET = "Wort-99";

  private ClientSmoke() {}

  /**
   * Runs all tasks.
   *
   * @param server of both backends, without other users
   * @param one an open backend, which the caller closes
   * @param two another open backend
   */
  public static void run(RedisServer server, LockBackend one, LockBackend two) {
    try (LockService mine = service(one);
        LockService theirs = service(two)) {
      contend(mine, theirs);
      lose(server, mine);
      freeze(server, mine, theirs);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Opens backends by URI and runs all tasks. Over TLS it also locks once, and checks that a server
   * is refused if its certificate does not name the host.
   *
   * @param provider of the backend
   */
  public static void run(LockBackendProvider provider) {
    try (RedisServer server = RedisServer.start();
        LockBackend one = open(provider, server.uri());
        LockBackend two = open(provider, server.uri())) {
      run(server, one, two);
    }
    if (TlsServer.isPossible()) {
      overTls(provider);
    }
  }

  private static void overTls(LockBackendProvider provider) {
    try (TlsServer server = TlsServer.start(SECRET)) {
      server.trust();
      try (LockBackend backend = open(provider, server.uri(SECRET, "127.0.0.1"));
          LockService service = service(backend)) {
        lockAndUnlock(service, "tls");
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      try (LockBackend backend = open(provider, server.uri(SECRET, "localhost"))) {
        throw new AssertionError("a host that the certificate does not name: " + backend);
      } catch (BackendException e) {
        // expected
      }
    }
  }

  private static LockBackend open(LockBackendProvider provider, URI uri) {
    return provider.open(new BackendConfig(uri, Duration.ofSeconds(5), "smoke", Map.of()));
  }

  private static LockService service(LockBackend backend) {
    return LockService.builder().backend(backend).leaseTime(LEASE).commandTimeout(COMMAND).open();
  }

  private static void contend(LockService mine, LockService theirs) throws InterruptedException {
    DistributedLock lock = mine.getLock("contended");
    lock.lock();
    Crew waiter = Crew.start(ThreadKind.PLATFORM, 1, number -> lockAndUnlock(theirs, "contended"));
    check(!theirs.getLock("contended").tryLock(), "two hold one lock");
    lock.unlock();
    waiter.join(Await.patience());
  }

  private static void lockAndUnlock(LockService service, String name) throws InterruptedException {
    DistributedLock lock = service.getLock(name);
    check(
        lock.tryLock(Await.patience().toSeconds(), TimeUnit.SECONDS), name + " never became free");
    lock.unlock();
  }

  private static void lose(RedisServer server, LockService mine) {
    DistributedLock lock = mine.getLock("lost");
    lock.lock();
    check(
        server.keys().contains("mortise:lock:{lost}"), "its key is another one: " + server.keys());
    server.command("DEL", "mortise:lock:{lost}");
    Await.until("the loss is reported", () -> lock.leaseState() == LeaseState.LOST);
    try {
      lock.unlock();
      throw new AssertionError("a lost lock was unlocked");
    } catch (IllegalMonitorStateException e) {
      // the loss is reported
    }
  }

  /** A command to the frozen server runs when the server goes on, and must be withdrawn. */
  private static void freeze(RedisServer server, LockService mine, LockService theirs)
      throws InterruptedException {
    server.pause();
    try {
      mine.getLock("frozen").withLease(Duration.ofMinutes(5)).tryLock();
      throw new AssertionError("a frozen server has answered");
    } catch (LockException e) {
      // the outcome is unknown
    } finally {
      server.resume();
    }
    lockAndUnlock(theirs, "frozen");
    lockAndUnlock(mine, "frozen");
  }

  private static void check(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }
}
