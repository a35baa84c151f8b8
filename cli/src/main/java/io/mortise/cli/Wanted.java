package io.mortise.cli;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code run} takes: a lock of some kind, or permits.
 *
 * @param service the service, which the caller closes
 * @param name the name
 * @param kind the kind of lock, if it takes no permits
 * @param permits the number of permits and their total, as {@code 1/3}, or null for a lock
 */
record Wanted(
    LockService service, String name, RunCommand.LockChoice kind, @Nullable String permits) {
  private static final Pattern SHARE = Pattern.compile("([1-9]\\d{0,8})/([1-9]\\d{0,8})");

  /**
   * Waits for it.
   *
   * @param longest the longest time to wait, or null for no limit
   * @return empty if it was not got in time
   */
  Optional<Lease> acquire(@Nullable Duration longest) throws InterruptedException {
    try {
      return permits == null ? lock(longest) : share(permits, longest);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    }
  }

  private Optional<Lease> lock(@Nullable Duration longest) throws InterruptedException {
    LeasedLock lock =
        switch (kind) {
          case FENCED -> service.getFencedLock(name);
          case PLAIN -> service.getLock(name);
          case FAIR -> service.getFairLock(name);
          case READ -> service.getReadWriteLock(name).readLock();
          case WRITE -> service.getReadWriteLock(name).writeLock();
        };
    return longest == null ? Optional.of(lock.acquire()) : lock.tryAcquire(longest);
  }

  private Optional<Lease> share(String share, @Nullable Duration longest)
      throws InterruptedException {
    Matcher parts = SHARE.matcher(share);
    if (!parts.matches()) {
      throw Failure.badArgument("--permits %s must read N/TOTAL, as 1/3".formatted(share));
    }
    int number = Integer.parseInt(parts.group(1));
    DistributedSemaphore all = service.getSemaphore(name, Integer.parseInt(parts.group(2)));
    return longest == null ? Optional.of(all.acquire(number)) : all.tryAcquire(number, longest);
  }
}
