package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Kind;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LockStatus;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.SpyBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a service says about one name. */
@Rule("L29")
class StatusTest implements BackendUnderTest {
  private static final String NAME = "orders:42";

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final SpyBackend spy = new SpyBackend(store.backend());
  private final LockService asked = LockService.of(spy);
  private final LockService other = LockService.of(store.backend());

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    asked.close();
    other.close();
  }

  private static List<Kind> kinds(List<LockStatus> found) {
    return found.stream().map(LockStatus::kind).toList();
  }

  @Test
  void allThatIsHeldByOneNameIsFoundWithItsHolders() throws Exception {
    DistributedReadWriteLock book = other.getReadWriteLock(NAME);
    DistributedSemaphore printers = other.getSemaphore(NAME, 3);
    other.getFairLock(NAME).lock();
    book.writeLock().lock();
    book.readLock().lock();
    try (Lease permit = printers.acquire();
        Lease permits = printers.acquire(2)) {
      List<LockStatus> found = asked.status(NAME);

      assertEquals(List.of(Kind.PLAIN, Kind.READ, Kind.WRITE, Kind.SEMAPHORE), kinds(found));
      assertEquals(List.of(1, 1, 1, 2), found.stream().map(each -> each.holders().size()).toList());
      for (LockStatus each : found) {
        assertEquals(NAME, each.name());
        assertEquals(other.clientId(), each.holders().get(0).clientId());
      }
      assertTrue(permit.isValid() && permits.isValid());
    }
    assertEquals(asked.find(NAME, 10), asked.status(NAME));
  }

  @Test
  void whoWaitsIsListedInTheOrderOfTheQueue() throws Exception {
    DistributedLock lock = other.getLock(NAME);
    try (Lease held = lock.acquire()) {
      CompletableFuture<Lease> first = lock.async().acquire();
      CompletableFuture<Lease> second = asked.getLock(NAME).async().acquire();

      List<LockStatus.Waiter> waiters = asked.status(NAME).get(0).waiters();

      assertEquals(
          List.of(other.clientId(), asked.clientId()),
          waiters.stream().map(LockStatus.Waiter::clientId).toList());
      assertTrue(held.isValid());
      assertTrue(second.cancel(true) && first.cancel(true));
    }
  }

  @Test
  void onlyTheKeysOfThatNameAreAskedFor() {
    other.getLock(NAME).lock();
    other.getLock(NAME + "0").lock();
    spy.forget();

    assertEquals(List.of(Kind.PLAIN), kinds(asked.status(NAME)));

    assertEquals(4, spy.sent("status").size());
    assertEquals(List.of(), spy.sent("list"));
  }

  @Test
  void aFreeNameIsHeldByNobodyAndPatternsAreNames() {
    other.getLock(NAME).lock();
    other.getLock(NAME).unlock();
    other.getLock("a*b").lock();

    assertEquals(List.of(), asked.status(NAME));
    assertEquals(List.of(), asked.status("*"));
    assertEquals(List.of("a*b"), asked.status("a*b").stream().map(LockStatus::name).toList());
    assertEquals(List.of(Kind.PLAIN), kinds(asked.status("{a*b}")), "the other name of the lock");
  }

  @Test
  void aLockThatIsSharedWithRedissonIsFoundByItsName() throws Exception {
    LockService shared =
        LockService.builder().backend(store.backend()).redissonInterop(true).open();
    other.getLock(NAME).lock();
    assertEquals(List.of(), shared.status(NAME), "the lock of that name that is not shared");
    shared.getLock(NAME).lock();
    try (Lease permit = shared.getSemaphore(NAME, 1).acquire()) {
      List<LockStatus> found = shared.status(NAME);

      assertEquals(List.of(Kind.PLAIN, Kind.SEMAPHORE), kinds(found));
      assertEquals(shared.clientId(), found.get(0).holders().get(0).clientId());
      assertTrue(permit.isValid());
    }
    shared.close();
  }

  @Test
  void aNameThatNoLockCanHaveAndAClosedServiceAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> asked.status(""));
    assertThrows(IllegalArgumentException.class, () -> asked.status("a{b"));
    asked.close();
    assertThrows(LockServiceClosedException.class, () -> asked.status(NAME));
  }
}
