package io.mortise.internal.lock;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.HoldInfo;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LockStatus;
import io.mortise.WaitInfo;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.LeaseEvents;
import io.mortise.internal.engine.Mailbox;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.NamePattern;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A service as the application has it: the engine, and whether closing it closes the backend. */
final class ServiceHandle implements LockService {
  /** A JVM that loads its classes on a busy machine may need so long for its first steps. */
  private static final Duration SHORTEST_OPENING = Duration.ofSeconds(20);

  /** The time of the first confirmation, in command timeouts. */
  private static final int TIMES = 5;

  private static final Logger log = LoggerFactory.getLogger(ServiceHandle.class);

  private final Engine engine;
  private final boolean ownsBackend;

  private ServiceHandle(Engine engine, boolean ownsBackend) {
    this.engine = engine;
    this.ownsBackend = ownsBackend;
  }

  /**
   * Checks what the store allows, and subscribes to the mailbox. If that fails, it closes
   * everything.
   *
   * @param events makes those of one engine
   */
  static ServiceHandle open(
      LockBackend backend,
      boolean ownsBackend,
      ServiceOptions settings,
      Supplier<LeaseEvents> events) {
    try {
      try {
        return open(engine(backend, settings, events), ownsBackend);
      } catch (OpeningCheck.PublishRefused e) {
        PostingBackend posting = new PostingBackend(backend, settings.commandTimeout());
        Engine engine = engine(posting, settings, events);
        e.unlessPosted(() -> posting.tryOut(engine.mailbox().channel(), Mailbox.CHECK));
        return open(engine, ownsBackend);
      }
    } catch (RuntimeException | Error e) {
      if (ownsBackend) {
        backend.close();
      }
      throw e;
    }
  }

  private static Engine engine(
      LockBackend backend, ServiceOptions settings, Supplier<LeaseEvents> events) {
    return new Engine(ClientId.create(), backend, settings, events.get());
  }

  private static ServiceHandle open(Engine engine, boolean ownsBackend) {
    ServiceHandle service = new ServiceHandle(engine, ownsBackend);
    Duration longest = engine.store().options().commandTimeout().multipliedBy(TIMES);
    try {
      engine.mailbox().open(longest.compareTo(SHORTEST_OPENING) < 0 ? SHORTEST_OPENING : longest);
      new OpeningCheck(engine.store(), engine.mailbox().channel()).run();
      service.tellWhatIsOpen();
      return service;
    } catch (RuntimeException | Error e) {
      engine.close();
      throw e;
    }
  }

  private void tellWhatIsOpen() {
    LockBackend backend = engine.store().backend();
    log.info(
        "lock service {} is open: {}, server {}, {}, key prefix '{}'",
        clientId(),
        backend,
        backend.info().serverVersion(),
        backend.info().topology(),
        engine.store().options().keyPrefix());
  }

  @Override
  public DistributedLock getLock(String name) {
    return new LockHandle(engine, keys(name), engine.store().defaultLease());
  }

  @Override
  public DistributedLock getFairLock(String name) {
    LockKeys keys = unshared(name, "getFairLock").as(LockKind.FAIR);
    engine.gates().useSeveralKinds();
    return new LockHandle(engine, keys, engine.store().defaultLease());
  }

  @Override
  public FencedLock getFencedLock(String name) {
    LockKeys keys = unshared(name, "getFencedLock").fenced(engine.store().options().keyPrefix());
    engine.gates().useSeveralKinds();
    return new FencedLockHandle(engine, keys, engine.store().defaultLease());
  }

  @Override
  public DistributedReadWriteLock getReadWriteLock(String name) {
    unshared(name, "getReadWriteLock");
    LockKeys keys = LockKeys.readWrite(engine.store().options().keyPrefix(), name);
    return new ReadWriteLockHandle(engine, keys);
  }

  /**
   * The keys for a kind of lock that cannot be shared with Redisson. Throws if this service shares
   * its locks.
   */
  private LockKeys unshared(String name, String method) {
    LockKeys keys = keys(name);
    if (keys.isRedisson()) {
      throw new UnsupportedOperationException(
          "lock '%s': %s of a service with redissonInterop(true) would not exclude Redisson's lock of that kind; only getLock does. Open another service without the option, for locks that Redisson's clients do not use (docs/migrating-from-redisson.md)"
              .formatted(Names.shown(name), method));
    }
    return keys;
  }

  @Override
  public DistributedSemaphore getSemaphore(String name) {
    return semaphore(name);
  }

  @Override
  public DistributedSemaphore getSemaphore(String name, int permits) {
    SemaphoreHandle semaphore = semaphore(name);
    semaphore.setOrCheck(permits);
    return semaphore;
  }

  private SemaphoreHandle semaphore(String name) {
    LockKeys keys = LockKeys.semaphore(engine.store().options().keyPrefix(), name);
    checkNotClosed();
    return new SemaphoreHandle(engine, keys, engine.store().defaultLease());
  }

  @Override
  public DistributedCountDownLatch getCountDownLatch(String name) {
    LockKeys keys = LockKeys.latch(engine.store().options().keyPrefix(), name);
    checkNotClosed();
    return new LatchHandle(engine, keys);
  }

  private LockKeys keys(String name) {
    LockKeys keys = engine.store().options().keys(name);
    checkNotClosed();
    return keys;
  }

  /** Also while the service closes, a holder can get the handle that it needs to unlock. */
  private void checkNotClosed() {
    if (engine.store().isClosed()) {
      throw new LockServiceClosedException("service " + engine + " gives out no more locks");
    }
  }

  @Override
  public List<HoldInfo> holds() {
    return engine.snapshot().holds();
  }

  @Override
  public List<WaitInfo> waits() {
    return engine.snapshot().waits();
  }

  @Override
  public List<LockStatus> find(String pattern, int limit) {
    NamePattern names = NamePattern.of(pattern);
    if (limit < 1) {
      throw new IllegalArgumentException("limit %d; it must be at least 1".formatted(limit));
    }
    checkNotClosed();
    if (engine.store().options().redissonInterop()) {
      throw new UnsupportedOperationException(
          "the locks of service %s are shared with Redisson and have no key prefix to look for; ask status() for a lock by its name, or open a service without redissonInterop for the others"
              .formatted(engine));
    }
    return new LockFinder(engine.store())
        .find(names, limit).stream()
            .sorted(Comparator.comparing(LockStatus::name).thenComparing(LockStatus::kind))
            .toList();
  }

  @Override
  public List<LockStatus> status(String name) {
    LockKeys lock = keys(name);
    String prefix = engine.store().options().keyPrefix();
    LockKeys semaphore = LockKeys.semaphore(prefix, name);
    LockKeys both = LockKeys.readWrite(prefix, name);
    return new LockFinder(engine.store())
        .held(
            lock.isRedisson()
                ? List.of(lock, semaphore)
                : List.of(lock, both.as(LockKind.READ), both, semaphore));
  }

  @Override
  public String clientId() {
    return engine.store().clientId().text();
  }

  @Override
  public boolean close(Duration patience) {
    Objects.requireNonNull(patience, "patience");
    try {
      return engine.drain(patience);
    } finally {
      close();
    }
  }

  @Override
  public void close() {
    if (engine.close() && ownsBackend) {
      engine.store().backend().close();
    }
  }

  @Override
  public String toString() {
    return "LockService[" + engine + ']';
  }
}
