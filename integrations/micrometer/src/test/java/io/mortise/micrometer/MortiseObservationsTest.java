package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MortiseObservationsTest {
  private static final Duration LONG_ENOUGH = Duration.ofMillis(20);

  /** Keeps what happens, in its order. */
  private static final class Story implements ObservationHandler<Observation.Context> {
    final List<String> steps = new CopyOnWriteArrayList<>();
    final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
    final Semaphore pace = new Semaphore(1_000); // how many handlers may go on
    volatile boolean broken;

    @Override
    public void onStart(Observation.Context context) {
      if (broken) {
        throw new IllegalStateException("broken on purpose");
      }
      steps.add("start " + context.getContextualName());
      pace.acquireUninterruptibly();
    }

    @Override
    public void onEvent(Observation.Event event, Observation.Context context) {
      steps.add(event.getContextualName());
    }

    @Override
    public void onStop(Observation.Context context) {
      stopped.add(context);
      steps.add("stop");
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return context.getName().equals("mortise.lock");
    }
  }

  private final Story story = new Story();
  private final ObservationRegistry registry = ObservationRegistry.create();
  private final InMemoryStore store = InMemoryStore.create();
  private final LockService other = LockService.of(store.backend());

  private LockService locks = open(Duration.ofMillis(1));

  private LockService open(Duration shortest) {
    registry.observationConfig().observationHandler(story);
    return open(new MortiseObservations(registry, LockGroups.prefixes(), shortest));
  }

  private LockService open(MortiseObservations observations) {
    return LockService.builder().backend(store.backend()).listener(observations).open();
  }

  @AfterEach
  void close() {
    locks.close();
    other.close();
  }

  private DistributedLock lock() {
    return locks.getLock("orders:42");
  }

  private static String key(Observation.Context context, String name) {
    return String.valueOf(
        context.getAllKeyValues().stream()
            .filter(key -> key.getKey().equals("mortise.lock." + name))
            .findFirst()
            .orElseThrow()
            .getValue());
  }

  /** Returns when the wait is observed. */
  private Thread observedWaiter(Runnable action) {
    Thread waiter = new Thread(action, "waiter");
    waiter.start();
    Scene.await(() -> !story.steps.isEmpty());
    return waiter;
  }

  @Test
  void aLongWaitIsOneObservationToTheEndOfItsHold() {
    other.getLock("orders:42").lock();
    Observation parent = Observation.start("request", registry);
    Thread waiter =
        observedWaiter(() ->
            parent.scoped(() -> {
              lock().lock();
              lock().unlock();
            }));
    other.getLock("orders:42").unlock();
    Scene.join(waiter);
    Scene.await(() -> !story.stopped.isEmpty());

    assertEquals(List.of("start lock orders", "granted", "stop"), story.steps);
    Observation.Context context = story.stopped.get(0);
    assertEquals("plain", key(context, "kind"));
    assertEquals("orders", key(context, "group"));
    assertEquals("acquired", key(context, "outcome"));
    assertEquals("orders:42", key(context, "name"));
    assertTrue(key(context, "holder").startsWith(locks.clientId()));
    assertSame(parent, context.getParentObservation());
    assertTrue(
        context.getLowCardinalityKeyValues().stream()
            .noneMatch(each -> each.getValue().contains("42")));
  }

  @Test
  void aWaitForWhichThereWasNoThreadIsNotObservedLater() {
    locks.close();
    MortiseObservations observations =
        new MortiseObservations(registry, LockGroups.prefixes(), Duration.ofMillis(1));
    locks = open(observations);
    ThreadFactory sound = observations.steps.getThreadFactory();
    observations.steps.setThreadFactory(task -> {
      throw new LinkageError("unable to create native thread");
    });
    other.getLock("first").lock();
    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> pair("first"));
    Scene.await(() -> !observations.steps.getQueue().isEmpty());
    other.getLock("first").unlock();
    first.join();
    observations.steps.setThreadFactory(sound);

    other.getLock("orders:42").lock();
    Thread waiter = observedWaiter(() -> pair("orders:42"));
    other.getLock("orders:42").unlock();
    Scene.join(waiter);
    Scene.await(() -> !story.stopped.isEmpty());

    assertEquals(List.of("start lock orders", "granted", "stop"), story.steps);
  }

  private void pair(String name) {
    locks.getLock(name).lock();
    locks.getLock(name).unlock();
  }

  @Test
  void aLossIsAnEventOfTheObservation() {
    other.getLock("orders:42").lock();
    Thread waiter =
        observedWaiter(() -> {
          lock().lock();
          other.getLock("orders:42").forceUnlock();
          Scene.await(() -> !story.stopped.isEmpty());
        });
    other.getLock("orders:42").unlock();
    Scene.join(waiter);

    assertEquals(List.of("start lock orders", "granted", "lost: forced", "stop"), story.steps);
  }

  @Test
  void aWaitThatTimesOutEndsTheObservation() {
    other.getLock("orders:42").lock();
    Thread waiter =
        observedWaiter(() -> {
          try {
            lock().tryLock(3, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    Scene.join(waiter);
    Scene.await(() -> !story.stopped.isEmpty());

    assertEquals(List.of("start lock orders", "stop"), story.steps);
    assertEquals("timed-out", key(story.stopped.get(0), "outcome"));
  }

  @Test
  void aShortWaitAndAFreeLockAreNotObserved() {
    locks.close();
    locks = open(Duration.ofHours(1));
    lock().lock();
    lock().unlock();
    Scene.Held held = Scene.heldByThread(lock());
    Thread waiter =
        new Thread(() -> {
          lock().lock();
          lock().unlock();
        });
    waiter.start();
    Scene.await(() -> !locks.waits().isEmpty());
    held.end();
    Scene.join(waiter);

    assertEquals(List.of(), story.steps);
  }

  @Test
  void aSlowHandlerLosesNoLongWait() {
    story.pace.drainPermits();
    other.getLock("orders:42").lock();
    Thread first =
        observedWaiter(() -> {
          lock().lock();
          lock().unlock();
        });
    other.getLock("orders:43").lock();
    Thread second =
        new Thread(() -> {
          locks.getLock("orders:43").lock();
          locks.getLock("orders:43").unlock();
        });
    second.start();
    Scene.await(() ->
        locks.waits().stream()
            .anyMatch(
                w -> w.name().equals("orders:43") && w.waitingFor().compareTo(LONG_ENOUGH) > 0));
    other.getLock("orders:43").unlock();
    Scene.join(second);
    other.getLock("orders:42").unlock();
    Scene.join(first);
    story.pace.release(2);
    Scene.await(() -> story.stopped.size() == 2);

    assertEquals("orders:43", key(story.stopped.get(0), "name"));
    assertEquals("acquired", key(story.stopped.get(0), "outcome"));
    assertEquals("acquired", key(story.stopped.get(1), "outcome"));
    assertEquals(2, story.steps.stream().filter("granted"::equals).count());
  }

  @Test
  void aWaitForALeaseHasNoParent() throws Exception {
    other.getLock("orders:42").lock();
    Observation parent = Observation.start("request", registry);
    CompletableFuture<Lease> lease = parent.scoped(() -> lock().async().acquire());
    Scene.await(() -> !story.steps.isEmpty());
    other.getLock("orders:42").unlock();
    lease.get(30, TimeUnit.SECONDS).close();
    Scene.await(() -> !story.stopped.isEmpty());

    assertNull(story.stopped.get(0).getParentObservation());
  }

  @Test
  void aHandlerThatThrowsHindersNoLock() {
    story.broken = true;
    Scene.Held held = Scene.heldByThread(lock());
    Thread waiter =
        new Thread(() -> {
          lock().lock();
          lock().unlock();
        });
    waiter.start();
    Scene.await(() -> locks.waits().stream().anyMatch(w -> w.waitingFor().toMillis() > 20));
    held.end();
    Scene.join(waiter);

    assertTrue(other.getLock("orders:42").tryLock());
  }
}
