package io.mortise.engine;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A service: the engine, and the backend it may have opened. */
final class EngineLockService implements LockService {
  private static final Duration LONGEST_OPENING = Duration.ofSeconds(10);

  private final Engine engine;
  private final boolean ownsBackend;

  private EngineLockService(Engine engine, boolean ownsBackend) {
    this.engine = engine;
    this.ownsBackend = ownsBackend;
  }

  /** Checks what the store allows, and subscribes to the mailbox; closes everything on failure. */
  static EngineLockService open(
      LockBackend backend, boolean ownsBackend, Settings settings, Events events) {
    EngineLockService service =
        new EngineLockService(
            new Engine(ClientId.create(), backend, settings, events), ownsBackend);
    try {
      service.checkStore();
      service.engine.mailbox().open(LONGEST_OPENING);
      return service;
    } catch (RuntimeException e) {
      service.close();
      throw e;
    }
  }

  private void checkStore() {
    LockKeys unused = engine.settings().keys("check~" + engine.clientId());
    String mailbox = engine.mailbox().channel();
    List<String> channels =
        unused.isRedisson() ? List.of(mailbox, unused.redissonChannel()) : List.of(mailbox);
    ScriptCall check = engine.scripts().check(unused, channels);
    List<Object> reply;
    try {
      reply = engine.backend().execute(check);
    } catch (BackendException e) {
      throw e.outcome() == BackendException.Outcome.REPLIED
          ? refused("EVALSHA", String.valueOf(e.getMessage()), e)
          : Failures.notOpened(e, engine.endpoint());
    }
    if (!reply.get(0).equals("OK")) {
      throw refused((String) reply.get(1), (String) reply.get(2), null);
    }
  }

  private BackendUnavailableException refused(
      String command, String error, @Nullable Throwable cause) {
    String prefix = engine.settings().keyPrefix();
    String shared =
        engine.settings().redissonInterop()
            ? ", and, for locks shared with Redisson, for keys of their names and channels redisson_lock__channel:*"
            : "";
    return new BackendUnavailableException(
        "%s refused %s, which locks need: %s; allow it for keys %s* and channels %s*%s (docs/troubleshooting.md#permissions)"
            .formatted(engine.endpoint(), command, error, prefix, prefix, shared),
        cause);
  }

  @Override
  public DistributedLock getLock(String name) {
    return new EngineLock(engine, keys(name), engine.defaultLease());
  }

  @Override
  public DistributedLock getFairLock(String name) {
    LockKeys keys = unshared(name, "getFairLock").as(LockKeys.Kind.FAIR);
    engine.useSeveralKinds();
    return new EngineLock(engine, keys, engine.defaultLease());
  }

  @Override
  public FencedLock getFencedLock(String name) {
    LockKeys keys = unshared(name, "getFencedLock").fenced(engine.settings().keyPrefix());
    engine.useSeveralKinds();
    return new EngineFencedLock(engine, keys, engine.defaultLease());
  }

  @Override
  public DistributedReadWriteLock getReadWriteLock(String name) {
    unshared(name, "getReadWriteLock");
    LockKeys keys = LockKeys.readWrite(engine.settings().keyPrefix(), name);
    return new EngineReadWriteLock(engine, keys);
  }

  /** Of a kind of lock that clients of Redisson cannot share. */
  private LockKeys unshared(String name, String method) {
    LockKeys keys = keys(name);
    if (keys.isRedisson()) {
      throw new UnsupportedOperationException(
          "lock '%s': %s of a service with redissonInterop(true) would not exclude Redisson's lock of that kind; only getLock does. Open another service without the option, for locks that Redisson's clients do not use (docs/migrating-from-redisson.md)"
              .formatted(name, method));
    }
    return keys;
  }

  @Override
  public DistributedSemaphore getSemaphore(String name) {
    Objects.requireNonNull(name, "semaphore name");
    LockKeys keys = LockKeys.semaphore(engine.settings().keyPrefix(), name);
    checkNotClosed();
    return new EngineSemaphore(engine, keys, engine.defaultLease());
  }

  @Override
  public DistributedCountDownLatch getCountDownLatch(String name) {
    Objects.requireNonNull(name, "latch name");
    LockKeys keys = LockKeys.latch(engine.settings().keyPrefix(), name);
    checkNotClosed();
    return new EngineLatch(engine, keys);
  }

  private LockKeys keys(String name) {
    Objects.requireNonNull(name, "lock name");
    LockKeys keys = engine.settings().keys(name);
    checkNotClosed();
    return keys;
  }

  /** While it closes too, a thread inside gets the handle by which it unlocks. */
  private void checkNotClosed() {
    if (engine.isClosed()) {
      throw new LockServiceClosedException("service " + engine + " gives out no more locks");
    }
  }

  @Override
  public String clientId() {
    return engine.clientId().text();
  }

  @Override
  public boolean close(Duration patience) {
    boolean ended = engine.drain(Objects.requireNonNull(patience, "patience"));
    close();
    return ended;
  }

  @Override
  public void close() {
    if (engine.close() && ownsBackend) {
      engine.backend().close();
    }
  }

  @Override
  public String toString() {
    return "LockService[" + engine + ']';
  }
}
