package io.mortise.shedlock;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import io.mortise.junit.LockWorld;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Jobs whose machine may have been suspended beyond the lease, so that only the store can say
 * whether they have their lock, and jobs that end on a thread that must not wait.
 */
class JobInDoubtTest {
  private final LockWorld world = LockWorld.withMovableTime(ofSeconds(30));
  private volatile long jump;
  private volatile boolean refusing;
  private final LockService here = LockService.of(withOwnTime(world.backend()));
  private final MortiseLockProvider provider = new MortiseLockProvider(here);
  private final MortiseLockProvider elsewhere = new MortiseLockProvider(world.service());

  /** A backend whose wall clock the test sets, and which may refuse threads that would wait. */
  private LockBackend withOwnTime(LockBackend backend) {
    TimeSource time =
        new ForwardingTime() {
          @Override
          protected TimeSource target() {
            return backend.time();
          }

          @Override
          public long currentTimeMillis() {
            return super.currentTimeMillis() + jump;
          }

          @Override
          public void checkMayPark() {
            if (refusing) {
              throw new IllegalStateException("this thread must not wait");
            }
          }
        };
    return new ForwardingBackend() {
      @Override
      protected LockBackend target() {
        return backend;
      }

      @Override
      public List<Object> execute(ScriptCall call) {
        time.checkMayPark();
        return super.execute(call);
      }

      @Override
      public TimeSource time() {
        return time;
      }
    };
  }

  @AfterEach
  void close() {
    refusing = false;
    world.storeUp();
    here.close();
    world.close();
  }

  private SimpleLock lock(Duration atMost) {
    return provider.lock(job(atMost)).orElseThrow();
  }

  private static LockConfiguration job(Duration atMost) {
    return new LockConfiguration(Instant.now(), "report", atMost, ZERO);
  }

  private boolean isFreeElsewhere() {
    Optional<SimpleLock> lock = elsewhere.lock(job(ofMinutes(10)));
    lock.ifPresent(SimpleLock::unlock);
    return lock.isPresent();
  }

  private void suspendBeyondTheLease() {
    jump();
    assertEquals(LeaseState.SUSPECT, here.holds().get(0).state());
  }

  /** The service notices it a millisecond later, and does not renew anything yet. */
  private void jump() {
    jump = 60_000;
    world.advance(ofMillis(2));
  }

  @Test
  void lockAtMostForIsKeptAlsoInDoubt() {
    SimpleLock lock = lock(ofMillis(300));
    suspendBeyondTheLease();
    Await.until("its time is up", this::isFreeElsewhere);
    assertThrows(LeaseLostException.class, lock::unlock);
  }

  @Test
  void anExtensionInDoubtAsksTheStore() {
    SimpleLock lock = lock(ofMinutes(10));
    suspendBeyondTheLease();
    SimpleLock next = lock.extend(ofMinutes(20), ZERO).orElseThrow();
    assertEquals(LeaseState.HELD, here.holds().get(0).state());
    assertFalse(isFreeElsewhere());
    next.unlock();
    assertTrue(isFreeElsewhere());
  }

  @Test
  void anExtensionInDoubtOfALostLockIsNone() {
    SimpleLock lock = lock(ofMinutes(10));
    world.service().getLock("report").forceUnlock();
    jump();
    assertTrue(lock.extend(ofMinutes(20), ZERO).isEmpty());
    assertThrows(LeaseLostException.class, lock::unlock);
  }

  @Test
  void anExtensionInDoubtWithoutAnAnswerIsNoneAndTheLockStaysAsItWas() {
    SimpleLock lock = lock(ofMinutes(10));
    suspendBeyondTheLease();
    world.storeDown();
    assertTrue(lock.extend(ofMinutes(20), ZERO).isEmpty());
    world.storeUp();
    SimpleLock next = lock.extend(ofMinutes(20), ZERO).orElseThrow();
    next.unlock();
  }

  @Test
  void anUnlockOnAThreadThatMustNotWaitCanBeDoneOnAnother() {
    SimpleLock lock = lock(ofMinutes(10));
    refusing = true;
    assertThrows(IllegalStateException.class, lock::unlock);
    refusing = false;
    assertFalse(isFreeElsewhere());
    lock.unlock();
    assertTrue(isFreeElsewhere());
  }

  @Test
  void anUnlockOnAThreadThatMustNotWaitKeepsLockAtMostFor() {
    SimpleLock lock = lock(ofMillis(500));
    refusing = true;
    assertThrows(IllegalStateException.class, lock::unlock);
    Await.until("its time is up", this::isFreeElsewhere);
    refusing = false;
    assertThrows(LeaseLostException.class, lock::unlock);
  }

  @Test
  void anExtensionOnAThreadThatMustNotWaitCanBeDoneOnAnother() {
    SimpleLock lock = lock(ofMinutes(10));
    suspendBeyondTheLease();
    refusing = true;
    assertThrows(IllegalStateException.class, () -> lock.extend(ofMinutes(20), ZERO));
    refusing = false;
    lock.extend(ofMinutes(20), ZERO).orElseThrow().unlock();
  }
}
