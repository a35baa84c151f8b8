package io.mortise.spring;

import io.mortise.LockService;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.LockTerms.Handle;
import io.mortise.annotations.internal.Locker;
import io.mortise.annotations.internal.Locker.Work;
import io.mortise.annotations.internal.NotRun;
import io.mortise.annotations.internal.Target;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs code under a lock, with the rules of {@link WithLock}: acquired or not run, held until the
 * caller's transaction is over, and never a result under a lost lock. Thread-safe.
 *
 * <pre>{@code
 * Order order = locks.execute("orders:" + id, () -> pay(id));
 * }</pre>
 */
public final class LockTemplate {
  private final LockService service;
  private final WithLockSettings settings;
  private final Locker locker;

  /**
   * A template with default settings.
   *
   * @param service the caller keeps and closes it
   */
  public LockTemplate(LockService service) {
    this(service, new WithLockSettings());
  }

  /**
   * A template.
   *
   * @param service the caller keeps and closes it
   * @param settings how long {@link #execute} waits, and what holds in a transaction
   */
  public LockTemplate(LockService service, WithLockSettings settings) {
    this.service = service;
    this.settings = settings;
    locker = new Locker(new InTransactionRule(settings.inTransaction()));
  }

  /**
   * Runs the work under the lock of that name, and waits for it as the settings say.
   *
   * @param name as for {@link LockService#getLock}
   * @param work what runs; it must not return a future or a publisher
   * @param <T> the type of the result
   * @return the result of the work
   * @throws LockBusyException another holder had the lock until the wait was over
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws io.mortise.LeaseLostException the work returned, but the lease is over
   * @throws Exception what the work threw
   */
  public <T extends @Nullable Object> T execute(String name, Callable<T> work) throws Exception {
    List<T> result = new ArrayList<>(1);
    if (!run(name, settings.waitFor(), work, result)) {
      throw new LockBusyException(
          "lock '%s' was busy, waited %d ms; the work did not run"
              .formatted(Shown.of(name), settings.waitFor().toMillis()));
    }
    return result.get(0);
  }

  /**
   * Runs the work under the lock of that name, unless another holder has it until the wait is over.
   *
   * @param name as for {@link LockService#getLock}
   * @param wait the longest time to wait; zero for one attempt
   * @param work what runs; it must not return null, a future or a publisher
   * @param <T> the type of the result
   * @return the result of the work; empty if it did not run
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws io.mortise.LeaseLostException the work returned, but the lease is over
   * @throws Exception what the work threw
   */
  public <T> Optional<T> tryExecute(String name, Duration wait, Callable<T> work) throws Exception {
    List<T> result = new ArrayList<>(1);
    return run(name, wait, work, result) ? Optional.of(result.get(0)) : Optional.empty();
  }

  /** Whether the work ran. Its result is in the list then, and only then. */
  private <T extends @Nullable Object> boolean run(
      String name, Duration wait, Callable<T> work, List<T> result) throws Exception {
    LockTerms terms = new LockTerms(Handle.PLAIN, wait, Duration.ZERO, true, false);
    Target target = terms.target(service, List.of(name));
    String who = "the work under lock '" + Shown.of(name) + "'";
    Work<Exception> added =
        () -> {
          T value = work.call();
          result.add(value);
          return value;
        };
    if (!(locker.run(who, target, terms, added) instanceof NotRun not)) {
      return true;
    }
    if (not.interrupt() != null) {
      throw not.interrupt();
    }
    return false;
  }
}
