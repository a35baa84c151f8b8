package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Room;
import io.mortise.conformance.support.Crew;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A semaphore under load, with requests for one or several permits. */
public abstract class PermitLoadRules extends SyncFixture {
  private static final int PERMITS = 4;

  protected PermitLoadRules(LockKit kit) {
    super(kit, "sem");
  }

  /** How many permits are in use, and the largest number so far. */
  private static final class Room {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    void use(int permits) {
      int now = inside.addAndGet(permits);
      most.accumulateAndGet(now, Math::max);
      LockSupport.parkNanos(20_000);
      inside.addAndGet(-permits);
    }
  }

  /** Eight threads of two services, each with one, two or three permits at a time. */
  private Room use(List<DistributedSemaphore> semaphores, int rounds, boolean guarded)
      throws InterruptedException {
    Room room = new Room();
    Crew.run(
        8,
        number -> {
          DistributedSemaphore semaphore = semaphores.get(number % semaphores.size());
          for (int i = 0; i < rounds; i++) {
            int permits = 1 + (number + i) % 3;
            if (!guarded) {
              room.use(permits);
              continue;
            }
            try (Lease lease = taken(semaphore, permits, i)) {
              room.use(permits);
              assertTrue(lease.isValid());
            }
          }
        });
    return room;
  }

  private static Lease taken(DistributedSemaphore semaphore, int permits, int round)
      throws Exception {
    return switch (round % 4) {
      case 0 -> semaphore.acquire(permits);
      case 1 -> {
        Optional<Lease> atOnce = semaphore.tryAcquire(permits);
        yield atOnce.isPresent() ? atOnce.get() : semaphore.acquire(permits);
      }
      case 2 -> semaphore.async(permits).acquire().get();
      default -> semaphore.tryAcquire(permits, LONG).orElseThrow();
    };
  }

  @Test
  @Rule({"S1", "L10", "L15"})
  void neverMorePermitsAreInUseThanThereAre() throws InterruptedException {
    Room room = use(List.of(semaphore(PERMITS), semaphore()), 40, true);
    assertTrue(room.most.get() <= PERMITS, room.most + " of " + PERMITS);
    assertTrue(room.most.get() > 1, "no two permits were in use at the same time");
    awaitFree(semaphore(), PERMITS);
  }

  @Test
  @Rule("S1")
  void withoutTheSemaphoreMoreAreInUse() throws InterruptedException {
    Room room = use(List.of(semaphore(PERMITS)), 200, false);
    assertTrue(room.most.get() > PERMITS, room.most + " of " + PERMITS);
    assertEquals(0, room.inside.get());
  }
}
