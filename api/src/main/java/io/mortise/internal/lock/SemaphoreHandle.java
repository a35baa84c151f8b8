package io.mortise.internal.lock;

import io.mortise.AsyncLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.engine.Wanted;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle of a semaphore. Each acquisition is a lease request, whose id has the number of permits
 * that it wants.
 */
record SemaphoreHandle(Engine engine, LockKeys keys, LeaseTerms lease)
    implements DistributedSemaphore {
  @Override
  public String name() {
    return keys.name();
  }

  @Override
  public DistributedSemaphore withLease(Duration fixed) {
    return new SemaphoreHandle(engine, keys, LeaseTerms.fixed(fixed));
  }

  // Acquiring

  @Override
  public Lease acquire(int permits) throws InterruptedException {
    return leases(permits).await();
  }

  @Override
  public Lease acquireUninterruptibly(int permits) {
    return leases(permits).join();
  }

  @Override
  public Optional<Lease> tryAcquire(int permits) {
    return leases(permits).attempt();
  }

  @Override
  public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
    return leases(permits).await(wait);
  }

  @Override
  public AsyncLock async(int permits) {
    return leases(permits);
  }

  private AsyncLeases leases(int permits) {
    return AsyncLeases.of(engine, new Wanted(keys.wanting(positive(permits)), lease));
  }

  @Override
  public Optional<Lease> drain() {
    for (Seen seen = look(); seen.free > 0 && !seen.wanted; seen = look()) {
      Optional<Lease> all = takeAll(seen.free);
      if (all.isPresent()) {
        return all;
      }
    }
    return Optional.empty();
  }

  private Optional<Lease> takeAll(int seen) {
    try {
      return tryAcquire(seen);
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // a resize came between: there are fewer permits than were free
    }
  }

  // Setting and looking

  @Override
  public boolean trySetPermits(int permits) {
    return command("once", positive(permits), "its permits were set").get(0).equals("SET");
  }

  /** Sets the number of permits if there is none. Throws if there is another one. */
  void setOrCheck(int permits) {
    List<Object> reply = command("once", positive(permits), "its permits were set");
    if (reply.get(0).equals("KEPT") && (Long) reply.get(1) != permits) {
      throw new IllegalStateException(
          "%s has %d permits in the store, and %d were asked for; ask for as many in all processes, or change the number by getSemaphore(name).resize(%d)"
              .formatted(keys.text(), (Long) reply.get(1), permits, permits));
    }
  }

  @Override
  public void resize(int permits) {
    List<Object> unused = command("resize", positive(permits), "it was resized");
  }

  @Override
  public boolean forceRelease() {
    return engine.releases().force(keys);
  }

  @Override
  public boolean forceRelease(String holderId) {
    return engine.releases().force(keys, AcquisitionId.check(holderId));
  }

  @Override
  public CompletableFuture<Boolean> forceReleaseAsync() {
    return engine.releases().forceAsync(keys);
  }

  @Override
  public int availablePermits() {
    return Math.max(0, look().free);
  }

  @Override
  public int totalPermits() {
    return look().total;
  }

  @Override
  public int usedPermits() {
    Seen seen = look();
    return seen.total - seen.free;
  }

  /**
   * The permits, as the store answered.
   *
   * @param free below 0 if more are held than there are
   * @param wanted whether the queue has waiters
   */
  private record Seen(int total, int free, boolean wanted) {}

  private Seen look() {
    List<Object> reply = command("look", 0, "it was looked at");
    if (reply.get(0).equals("UNSET")) {
      throw Failures.permitsUnset(keys);
    }
    int free = Math.toIntExact((Long) reply.get(1));
    return new Seen(Math.toIntExact((Long) reply.get(3)), free, (Long) reply.get(2) > 0);
  }

  private List<Object> command(String mode, int permits, String what) {
    ScriptCall call = engine.store().scripts().permits(keys, mode, permits);
    List<Object> reply = new StoredLock(engine, keys).ask(call, keys.text() + ": " + what);
    engine.releases().goOn(keys, reply);
    return reply;
  }

  private int positive(int permits) {
    if (permits < 1) {
      throw new IllegalArgumentException(
          "%s: %d permits; give it at least 1".formatted(keys.text(), permits));
    }
    return permits;
  }

  /** Handles of one semaphore of one service are equal, also with different leases. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SemaphoreHandle that
        && engine == that.engine
        && keys.lock().equals(that.keys.lock());
  }

  @Override
  public int hashCode() {
    return keys.lock().hashCode();
  }

  @Override
  public String toString() {
    String leases = lease.renewed() ? "renewed leases" : "leases of " + lease.millis() + " ms";
    return "DistributedSemaphore[" + Names.shown(keys.name()) + ", " + leases + ']';
  }
}
