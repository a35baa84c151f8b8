package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What readers of one service cost a writer of another, and the store, in time that stands. */
class ReaderTurnTest implements BackendUnderTest {
  private static final Duration HAND_OFFS = Duration.ofMillis(10);
  private static final Duration SECTION = Duration.ofMillis(1);
  private static final int READERS = 16;
  private static final int ROUNDS = 10;

  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private LockService service() {
    return LockService.builder().backend(store.backend()).executor(Runnable::run).open();
  }

  private static Contender locking(DistributedLock lock) {
    return Contender.start(() -> {
      lock.lock();
      return true;
    });
  }

  @Test
  @Rule("L12")
  void aWriterOfAnotherServiceWaitsForTenMillisecondsAndOneSectionLonger() {
    try (LockService one = service();
        LockService other = service()) {
      DistributedLock read = one.getReadWriteLock("turns").readLock();
      DistributedLock write = other.getReadWriteLock("turns").writeLock();
      Contender holder = locking(read);
      Contender writer = locking(write);
      int sections = 0;
      Contender next = locking(read);
      while (next.isInside() && sections < 100) {
        store.advance(SECTION);
        holder.leave(read::unlock);
        sections++;
        holder = next;
        next = locking(read);
      }
      assertFalse(writer.isInside());
      store.advance(SECTION);
      holder.leave(read::unlock);

      assertTrue(writer.result());
      assertFalse(next.isInside(), "the reader that came last overtook the writer");
      assertEquals(HAND_OFFS.dividedBy(SECTION), sections);
      writer.leave(write::unlock);
      assertTrue(next.result());
      next.leave(read::unlock);
    }
  }

  /** One thread more is inside all the time, so that the count does not depend on the machine. */
  private int commands(LockService.Builder options) throws InterruptedException {
    SpyBackend spy = new SpyBackend(store.backend());
    try (LockService service = options.sharedBackend(spy).open()) {
      DistributedLock read = service.getReadWriteLock("count").readLock();
      Contender inside = locking(read);
      Crew.run(
          READERS,
          number -> {
            for (int i = 0; i < ROUNDS; i++) {
              read.lock();
              read.unlock();
            }
          });
      inside.leave(read::unlock);
      return spy.sent("rw-acquire").size() + spy.sent("rw-leave").size();
    }
  }

  @Test
  @Rule("L19")
  void sixteenReadersOfOneServiceNeedOneHoldOfTheStore(Figures figures)
      throws InterruptedException {
    int pairs = READERS * ROUNDS + 1;

    int alone = commands(LockService.builder().handOffLimit(0));
    int shared = commands(LockService.builder());

    figures.add("commands of " + pairs + " pairs of readers", shared + ", unshared " + alone);
    assertEquals(2 * pairs, alone);
    assertEquals(2, shared);
  }
}
