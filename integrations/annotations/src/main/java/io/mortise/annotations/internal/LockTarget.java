package io.mortise.annotations.internal;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One lock, or several as one.
 *
 * @param lock what is acquired
 * @param members the lock itself, or the members of the multi-lock
 */
public record LockTarget(LeasedLock lock, List<? extends LeasedLock> members) implements Target {
  /** One lock, or all or none of several. */
  public static LockTarget of(List<? extends LeasedLock> members) {
    return new LockTarget(
        members.size() == 1 ? members.get(0) : MultiLock.of(members.toArray(LeasedLock[]::new)),
        members);
  }

  @Override
  public String text() {
    return "lock '" + Shown.of(lock.name()) + "'";
  }

  @Override
  public boolean has(String name) {
    return members.stream().anyMatch(each -> each.name().equals(name));
  }

  @Override
  public boolean overlaps(Target other) {
    return other instanceof LockTarget that && members.stream().anyMatch(that.members::contains);
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return members.stream().anyMatch(LeasedLock::isHeldByCurrentThread);
  }

  /** Whether the thread holds a lock that both have by one acquisition only. */
  boolean hasAloneOf(Target other) {
    return other instanceof LockTarget that
        && members.stream()
            .anyMatch(each -> that.members.contains(each) && each.getHoldCount() == 1);
  }

  @Override
  public @Nullable ThreadScope hold(LockTerms terms) throws InterruptedException {
    return ThreadHold.acquire(this, terms);
  }

  @Override
  public Optional<Lease> acquire(@Nullable Duration wait) throws InterruptedException {
    return wait == null ? Optional.of(lock.acquire()) : lock.tryAcquire(wait);
  }

  @Override
  public AsyncLock async() {
    return lock.async();
  }
}
