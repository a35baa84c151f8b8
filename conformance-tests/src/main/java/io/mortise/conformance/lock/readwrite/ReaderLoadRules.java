package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A read/write lock under load: no thread sees half a change, is forgotten, or starves. */
public abstract class ReaderLoadRules extends ReadWriteFixture {
  private static final int HAND_OVERS = 2500;

  /** A busy machine makes fewer of them in this time. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  protected ReaderLoadRules(LockKit kit) {
    super(kit);
  }

  /** Data that several threads share. All parts must always look equal. */
  private static final class Pair {
    private final int[] parts = new int[8];
    private final LongAdder torn = new LongAdder();
    private int written;

    /** Changes one part after the other, and lets other threads run in between. */
    void write() {
      int next = written + 1;
      for (int i = 0; i < parts.length; i++) {
        parts[i] = next;
        LockSupport.parkNanos(1);
      }
      written = next;
    }

    void read() {
      int first = parts[0];
      LockSupport.parkNanos(1);
      if (IntStream.of(parts).anyMatch(part -> part != first)) {
        torn.increment();
      }
    }
  }

  /** Four readers and two writers, of two services. */
  private Pair use(List<DistributedReadWriteLock> locks, int rounds, boolean guarded)
      throws InterruptedException {
    Pair pair = new Pair();
    Crew.run(
        6,
        number -> {
          boolean writes = number < 2;
          DistributedReadWriteLock rw = locks.get(number % locks.size());
          DistributedLock side = writes ? rw.writeLock() : rw.readLock();
          for (int i = 0; i < rounds; i++) {
            if (guarded) {
              side.lock();
            }
            try {
              if (writes) {
                pair.write();
              } else {
                pair.read();
              }
            } finally {
              if (guarded) {
                side.unlock();
              }
            }
          }
        });
    return pair;
  }

  @Test
  @Rule({"L1", "L6"})
  void readersSeeNoHalfWrittenStateAndNoWriteIsLost() throws InterruptedException {
    int rounds = 100;
    Pair pair = use(List.of(rw(), rw()), rounds, true);
    assertEquals(0, pair.torn.sum());
    assertEquals(2 * rounds, pair.written);
  }

  @Test
  @Rule("L1")
  void withoutTheLockTheySeeIt() throws InterruptedException {
    int rounds = 100;
    Pair pair = use(List.of(rw()), rounds, false);
    assertTrue(pair.torn.sum() > 0, "no torn state was seen");
    assertTrue(pair.written < 2 * rounds, "no write was lost");
  }

  private static void meet(CyclicBarrier barrier) throws Exception {
    barrier.await(15, TimeUnit.SECONDS);
  }

  private static DistributedLock side(DistributedReadWriteLock rw, boolean writes) {
    return writes ? rw.writeLock() : rw.readLock();
  }

  /**
   * In turn from writer to writer, writer to reader and reader to writer. The release falls
   * anywhere between the other's call and its first long sleep.
   */
  @Test
  @Rule({"W7", "L10"})
  void aReleaseAtAnyMomentWakesTheOther(Figures figures) throws InterruptedException {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    Waits waits = new Waits();
    long end = System.nanoTime() + LONGEST.toNanos();
    boolean[] enough = new boolean[1];
    CyclicBarrier barrier =
        new CyclicBarrier(2, () -> enough[0] = waits.areTooSlow() || System.nanoTime() - end >= 0);
    long[] released = new long[1];
    Crew.run(
        2,
        number -> {
          for (int i = 0; i < HAND_OVERS && !enough[0]; i++) {
            DistributedLock from = side(mine, i % 3 != 0);
            DistributedLock to = side(theirs, i % 3 != 1);
            if (number == 0) {
              from.lock();
              meet(barrier);
              LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(400_000));
              released[0] = System.nanoTime();
              from.unlock();
            } else {
              meet(barrier);
              to.lock();
              waits.since(released[0]);
              to.unlock();
            }
            meet(barrier);
          }
        });
    waits.note(figures, "read/write, unlock to grant");
    waits.assertFewSlow();
  }

  /** One thread of one side against four of the other, which overlap and never stop. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"L12", "W21"})
  void aSteadyLoadOfOneSideDoesNotStarveTheOther(boolean oneWrites, Figures figures)
      throws InterruptedException {
    List<DistributedLock> theirs = List.of(side(rw(), !oneWrites), side(rw(), !oneWrites));
    DistributedLock mine = side(rw(), oneWrites);
    BusyService busy =
        new BusyService(
            4,
            number -> {
              DistributedLock side = theirs.get(number % 2);
              side.lock();
              LockSupport.parkNanos(200_000); // long enough that one of them always holds it
              side.unlock();
              if (number == 0) {
                passTime(HAND_OFFS); // also where only tests move it
              }
            });

    Waits waits =
        busy.waitsOfOneMore(
            150,
            time -> {
              assertTrue(mine.tryLock(15, TimeUnit.SECONDS), "no acquisition in 15 s");
              return mine::unlock;
            });

    String who = oneWrites ? "a writer among 4 readers" : "a reader among 4 writers";
    waits.note(figures, who + " that never pause");
    waits.assertFewSlow();
    assertTrue(
        busy.turns() >= waits.count(), "the other side had " + busy.turns() + " acquisitions");
  }
}
