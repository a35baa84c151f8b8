package io.mortise.spring.integration;

import io.mortise.Kind;
import io.mortise.LockService;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

/**
 * A lock registry for Spring Integration whose locks are those of a {@link LockService}.
 * Thread-safe.
 *
 * <p>Its locks are reentrant. A lock without a time to live is renewed until {@code unlock}, while
 * the process lives. In addition to what {@link io.mortise.LeasedLock} says:
 *
 * <ul>
 *   <li>A thread whose hold was lost cannot lock again before it has unlocked. Until then each
 *       attempt throws {@link io.mortise.LeaseLostException}. So the leader election of Spring
 *       Integration notices at its next heartbeat that it does not lead any more. One way ends this
 *       earlier, which no method of the registry takes: {@link
 *       io.mortise.LeasedLock#isHeldByCurrentThread} of the service's lock tells the thread {@code
 *       false}, and then the thread acquires another lock.
 *   <li>{@code executeLocked} returns normally only if the thread held the lock all the time. An
 *       exception of the task is never hidden by one of the unlock.
 *   <li>The locks keep no state in this registry, so there is nothing to expire, and no limit on
 *       their number.
 * </ul>
 *
 * <p>For leader election, open the service with {@link LockService.Builder#interruptOnLoss}. Then
 * the leader's thread is interrupted at a loss, and does not wait for its next heartbeat.
 */
public final class MortiseLockRegistry
    implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {
  /** The kinds of handles of one and the same lock, which has one hold at a time. */
  private static final Set<Kind> EXCLUSIVE = EnumSet.of(Kind.PLAIN, Kind.FAIR, Kind.FENCED);

  /** Their text is that of what is in them, which may have none of its own. */
  private static final List<Class<?>> CONTAINERS =
      List.of(Collection.class, Map.class, Optional.class);

  /** Whether the objects of a class have a text of their own. */
  private static final ClassValue<Boolean> HAS_TEXT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return type.getMethod("toString").getDeclaringClass() != Object.class
                && CONTAINERS.stream().noneMatch(each -> each.isAssignableFrom(type));
          } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
          }
        }
      };

  private final LockService locks;
  private final String prefix;

  /**
   * A registry in which the lock of a key is {@code locks.getLock(key)}.
   *
   * @param locks the caller keeps and closes it
   */
  public MortiseLockRegistry(LockService locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
    prefix = "";
  }

  /**
   * A registry that shares its locks only with registries of the same name, in all processes.
   *
   * @param locks the caller keeps and closes it
   * @param registryKey the lock of a key is {@code locks.getLock(registryKey + ":" + key)}
   */
  public MortiseLockRegistry(LockService locks, String registryKey) {
    this.locks = Objects.requireNonNull(locks, "locks");
    prefix = Objects.requireNonNull(registryKey, "registryKey") + ":";
  }

  /**
   * The lock of a key.
   *
   * @param lockKey its text names the lock: 1 to 512 bytes of UTF-8, as for {@link
   *     LockService#getLock}
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException the text cannot name a lock, or the object has no text of its
   *     own, which would be another lock in each process; a collection, an array, a map and an
   *     {@link Optional} have none
   */
  @Override
  public DistributedLock obtain(Object lockKey) {
    return lockOf(lockKey);
  }

  private RegistryLock lockOf(Object lockKey) {
    return new RegistryLock(locks.getLock(prefix + text(lockKey)));
  }

  private static String text(Object lockKey) {
    Class<?> type = Objects.requireNonNull(lockKey, "lockKey").getClass();
    if (!HAS_TEXT.get(type)) {
      throw new IllegalArgumentException(
          "a lock key of %s has no text of its own, so it would be another lock in each process; use a text, such as its id"
              .formatted(type.getTypeName()));
    }
    String text = lockKey.toString();
    if (text.isBlank()) {
      throw new IllegalArgumentException("a lock key of %s is blank".formatted(type));
    }
    return text;
  }

  /** Does nothing: locks that are not held keep no state here. */
  @Override
  public void expireUnusedOlderThan(long age) {}

  /**
   * Checks that the calling thread holds the lock, and that the service renews it by itself.
   *
   * @throws IllegalStateException the hold has a time to live, so it is not renewed; {@link
   *     #renewLock(Object, Duration)} makes it last longer
   * @throws io.mortise.LeaseLostException the thread held the lock, and the hold was lost
   * @throws IllegalMonitorStateException the thread does not hold the lock
   */
  @Override
  public void renewLock(Object lockKey) {
    RegistryLock lock = lockOf(lockKey);
    lock.target().ensureHeld();
    if (isFixed(lock.target().name())) {
      throw new IllegalStateException(
          "lock '%s' is held for a fixed time, which is not renewed; call renewLock(key, ttl), or lock without a time to live"
              .formatted(Shown.of(lock.target().name())));
    }
  }

  /** Whether the hold of that lock in this service has a time to live. */
  private boolean isFixed(String name) {
    return locks.holds().stream()
        .anyMatch(
            hold -> !hold.renewed() && hold.name().equals(name) && EXCLUSIVE.contains(hold.kind()));
  }

  /**
   * Makes the calling thread's hold last at least that long from now. It never makes it shorter,
   * and a renewed hold stays renewed.
   *
   * @param ttl at least 10 ms, at most 10,000 days
   * @throws io.mortise.LeaseLostException the thread held the lock, and the hold was lost
   * @throws IllegalMonitorStateException the thread does not hold the lock
   */
  @Override
  public void renewLock(Object lockKey, Duration ttl) {
    lockOf(lockKey).renew(ttl);
  }

  @Override
  public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
      throws E, InterruptedException {
    @Nullable Void unused = executeLocked(lockKey, callable(runnable));
  }

  @Override
  public <T extends @Nullable Object, E extends Throwable> T executeLocked(
      Object lockKey, CheckedCallable<T, E> callable) throws E, InterruptedException {
    RegistryLock lock = lockOf(lockKey);
    lock.lockInterruptibly();
    return lock.callAndUnlock(callable);
  }

  @Override
  public <E extends Throwable> void executeLocked(
      Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
      throws E, InterruptedException, TimeoutException {
    @Nullable Void unused = executeLocked(lockKey, waitLockDuration, callable(runnable));
  }

  @Override
  public <T extends @Nullable Object, E extends Throwable> T executeLocked(
      Object lockKey, Duration waitLockDuration, CheckedCallable<T, E> callable)
      throws E, InterruptedException, TimeoutException {
    RegistryLock lock = lockOf(lockKey);
    if (!lock.tryLock(waitLockDuration)) {
      throw new TimeoutException(
          "lock '%s' was not acquired within %s"
              .formatted(Shown.of(lock.target().name()), waitLockDuration));
    }
    return lock.callAndUnlock(callable);
  }

  private static <E extends Throwable> CheckedCallable<@Nullable Void, E> callable(
      CheckedRunnable<E> runnable) {
    return () -> {
      runnable.run();
      return null;
    };
  }

  @Override
  public String toString() {
    return "lock registry%s of %s"
        .formatted(prefix.isEmpty() ? "" : " " + Shown.of(prefix), locks.clientId());
  }
}
