package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The events of one hold come in order, also on an executor of many threads. */
@Rule("L20")
public abstract class EventOrderRules extends LockRules {
  private static final int ROUNDS = 60;
  private static final int THREADS = 4;

  private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
  private final Map<String, List<String>> told = new ConcurrentHashMap<>();

  protected EventOrderRules(LockKit kit) {
    super(kit);
  }

  @BeforeEach
  void closePool() {
    closeLast(pool::shutdown);
  }

  private LockService listenedTo() {
    LockListener notes =
        new LockListener() {
          @Override
          @SuppressWarnings("ThreadPriorityCheck") // makes a wrong order likelier
          public void acquired(LockAttempt attempt, LockHold hold) {
            Thread.yield(); // lets other threads overtake
            note(attempt.name(), "acquired");
          }

          @Override
          public void released(LockHold hold) {
            note(hold.attempt().name(), "released");
          }

          @Override
          public void lost(LockHold hold, LossCause cause, String reason) {
            assertTrue(hold.heldNanos() >= 0);
            note(hold.attempt().name(), "lost: " + reason);
          }

          @Override
          public void leaseChanged(LeaseChange event) {
            note(event.name(), event.state().toString());
          }
        };
    return service(builder -> builder.listener(notes).executor(pool));
  }

  private void note(String lock, String event) {
    told.computeIfAbsent(lock, name -> new CopyOnWriteArrayList<>()).add(event);
  }

  private List<String> told(String lock) {
    return told.getOrDefault(lock, List.of());
  }

  @Test
  void theBeginOfALeaseIsReportedBeforeItsEnd() throws InterruptedException {
    LockService service = listenedTo();

    Crew.run(
        THREADS,
        number -> {
          for (int i = 0; i < ROUNDS; i++) {
            DistributedLock lock = service.getLock(name + '-' + number + '-' + i);
            try (Lease lease = lock.acquire()) {
              assertEquals(lock.name(), lease.name());
            }
          }
        });

    for (int number = 0; number < THREADS; number++) {
      for (int i = 0; i < ROUNDS; i++) {
        String lock = name + '-' + number + '-' + i;
        Await.until("the begin and the end are reported", () -> told(lock).size() == 2);
        assertEquals(List.of("acquired", "released"), told(lock));
      }
    }
  }

  @Test
  @Rule("L9")
  void aLostHoldIsReportedAsLostAndNotAsReleased() {
    DistributedLock lock = listenedTo().getLock(name);
    lock.lock();
    assertTrue(lock().forceUnlock());
    Await.until("the loss is reported", () -> told(name).size() == 3);

    LeaseLostException e = assertThrows(LeaseLostException.class, lock::unlock);

    assertTrue(String.valueOf(e.getMessage()).contains("somebody forced the lock open"));
    assertEquals(List.of("acquired", "LOST", "lost: somebody forced the lock open"), told(name));
  }

  @Test
  @Rule("L9")
  void aLossThatTheUnlockFindsIsReportedToo() {
    DistributedLock lock = listenedTo().getLock(name);
    lock.lock();
    deleteKey();

    LeaseLostException e = assertThrows(LeaseLostException.class, lock::unlock);

    assertTrue(String.valueOf(e.getMessage()).contains("when it was unlocked"));
    Await.until("the loss is reported", () -> told(name).size() == 3);
    assertEquals(
        List.of("acquired", "LOST", "lost: the store no longer had it when it was unlocked"),
        told(name));
  }

  @Test
  @Rule("L9")
  void theBeginOfALostLeaseIsReportedAndThenItsLoss() throws InterruptedException {
    LockService service = listenedTo();
    LockService forcing = service();

    Crew.run(
        THREADS,
        number -> {
          for (int i = 0; i < ROUNDS / 4; i++) {
            String each = name + '-' + number + '-' + i;
            Lease lease = service.getLock(each).acquire();
            assertTrue(forcing.getLock(each).forceUnlock());
            Await.until("the lease is lost", () -> !lease.isValid());
          }
        });

    for (int number = 0; number < THREADS; number++) {
      for (int i = 0; i < ROUNDS / 4; i++) {
        String lock = name + '-' + number + '-' + i;
        Await.until("the loss is reported", () -> told(lock).size() == 3);
        assertEquals(
            List.of("acquired", "LOST", "lost: somebody forced the lock open"), told(lock));
      }
    }
  }

  @Test
  @Rule("L17")
  void closingAServiceReportsTheLossOfAHoldOnce() {
    LockService closing = listenedTo();
    DistributedLock lock = closing.getLock(name);
    lock.lock();

    closing.close();

    Await.until("the end is reported", () -> told(name).size() == 2);
    assertEquals("acquired", told(name).get(0));
    String end = told(name).get(1);
    assertTrue(end.startsWith("lost: its service") && end.contains("was closed"), end);
    assertThrows(LockServiceClosedException.class, lock::unlock);
    assertEquals(2, told(name).size());
  }

  @Test
  @Rule("L17")
  void unlockAndCloseReportOneEndInEitherOrder() throws InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      String each = name + '-' + round;
      LockService closing = listenedTo();
      DistributedLock lock = closing.getLock(each);
      CountDownLatch inside = new CountDownLatch(1);
      Crew holder =
          Crew.start(
              ThreadKind.PLATFORM,
              1,
              any -> {
                lock.lock();
                inside.countDown();
                try {
                  lock.unlock();
                } catch (LockServiceClosedException e) {
                  // another thread closed it first
                }
              });
      assertTrue(inside.await(60, TimeUnit.SECONDS));

      closing.close();

      holder.join(Await.patience());
      Await.until("the end is reported", () -> told(each).size() > 1);
      assertEquals(2, told(each).size(), told(each)::toString);
    }
  }

  @Test
  void handOffsReportAsManyBeginsAsEnds() throws InterruptedException {
    LockService service = listenedTo();

    Crew.run(
        THREADS,
        number -> {
          DistributedLock lock = service.getLock(name);
          for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            lock.unlock();
          }
        });

    assertEquals(2 * THREADS * ROUNDS, told(name).size());
    assertEquals(THREADS * ROUNDS, Collections.frequency(told(name), "acquired"));
    assertEquals(THREADS * ROUNDS, Collections.frequency(told(name), "released"));
  }
}
