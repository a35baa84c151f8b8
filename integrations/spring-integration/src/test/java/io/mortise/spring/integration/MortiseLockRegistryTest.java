package io.mortise.spring.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Lost holds, work under a lock, and keys. */
class MortiseLockRegistryTest {
  private static final String KEY = "orders";

  private final String uri = "memory:" + UUID.randomUUID();
  private final LockService here = LockService.open(uri);
  private final LockService there = LockService.open(uri);
  private final MortiseLockRegistry registry = new MortiseLockRegistry(here);

  @AfterEach
  void close() {
    there.close();
    here.close();
  }

  private void lose() {
    assertTrue(there.getLock(KEY).forceUnlock());
    Await.until("it is lost", () -> here.getLock(KEY).leaseState() == LeaseState.LOST);
  }

  @Test
  void aThreadThatHasLostItsHoldCannotLockAgainBeforeItUnlocks() throws InterruptedException {
    var lock = registry.obtain(KEY);
    lock.lock();
    lose();
    List<Executable> ways =
        List.of(
            lock::lock,
            lock::lockInterruptibly,
            lock::tryLock,
            () -> lock.tryLock(1, TimeUnit.SECONDS),
            () -> lock.lock(Duration.ofSeconds(1)),
            () -> lock.tryLock(Duration.ofSeconds(1), Duration.ofSeconds(1)),
            () -> registry.renewLock(KEY),
            () -> registry.renewLock(KEY, Duration.ofSeconds(1)));
    for (Executable way : ways) {
      assertThrows(LeaseLostException.class, way);
    }
    assertFalse(there.getLock(KEY).isLocked(), "nothing was acquired");

    assertThrows(LeaseLostException.class, lock::unlock);
    assertTrue(lock.tryLock(1, TimeUnit.SECONDS), "it may lock again");
    lock.unlock();
  }

  @Test
  void aHoldThatIsLostWhileItsThreadLocksAgainStaysLost() {
    MortiseLockRegistry disturbed = new MortiseLockRegistry(losingOnceBeforeTryLock());
    var lock = disturbed.obtain(KEY);
    lock.lock();
    assertThrows(LeaseLostException.class, lock::tryLock);
    assertFalse(there.getLock(KEY).isLocked(), "what it acquired anew is given back");
    assertThrows(LeaseLostException.class, lock::unlock);
  }

  /** A service whose locks lose the thread's hold when it has just looked at it. */
  private LockService losingOnceBeforeTryLock() {
    DistributedLock lock = here.getLock(KEY);
    DistributedLock losing =
        proxy(
            DistributedLock.class,
            lock,
            "tryLock",
            () -> {
              lose();
              return lock.tryLock();
            });
    return proxy(LockService.class, here, "getLock", () -> losing);
  }

  private interface Answer {
    Object get() throws Exception;
  }

  private static <T> T proxy(Class<T> type, T target, String method, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              if (called.getName().equals(method)) {
                return answer.get();
              }
              try {
                return called.invoke(target, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            }));
  }

  @Test
  void workUnderALostLockHasNoResult() throws Exception {
    assertThrows(
        LeaseLostException.class,
        () ->
            registry.executeLocked(
                KEY,
                () -> {
                  lose();
                  return "paid";
                }));
    assertThrows(
        LeaseLostException.class,
        () -> registry.executeLocked(KEY, Duration.ofSeconds(1), this::lose));
    assertEquals("paid", registry.executeLocked(KEY, () -> "paid"), "the thread may go on");
    assertFalse(here.getLock(KEY).isLocked());
  }

  @Test
  void nestedWorkUnderALostLockHasNoResultEither() {
    var lock = registry.obtain(KEY);
    lock.lock();
    assertThrows(
        LeaseLostException.class,
        () ->
            registry.executeLocked(
                KEY,
                () -> {
                  lose();
                  return "paid";
                }));
    assertThrows(LeaseLostException.class, lock::unlock);
  }

  @Test
  void anExceptionOfTheWorkIsNotHiddenByALoss() {
    IOException own = new IOException("of the work");
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                registry.executeLocked(
                    KEY,
                    () -> {
                      lose();
                      throw own;
                    }));
    assertSame(own, thrown);
    assertInstanceOf(LeaseLostException.class, thrown.getSuppressed()[0]);
  }

  @Test
  void workThatDoesNotGetItsLockIsNotRun() {
    there.getLock(KEY).lock();
    AtomicInteger runs = new AtomicInteger();
    TimeoutException late =
        assertThrows(
            TimeoutException.class,
            () -> registry.executeLocked(KEY, Duration.ofMillis(50), runs::incrementAndGet));
    assertTrue(late.toString().contains("'orders'"), late.toString());
    assertEquals(0, runs.get());
    there.getLock(KEY).unlock();
  }

  @Test
  void aLockWithATimeToLiveIsNotRenewedWithoutATime() throws InterruptedException {
    var lock = registry.obtain(KEY);
    here.getReadWriteLock(KEY).writeLock().lock(1, TimeUnit.MINUTES); // of the same name
    lock.lock();
    registry.renewLock(KEY);
    lock.unlock();

    lock.lock(Duration.ofMinutes(1));
    assertNotRenewed();
    registry.renewLock(KEY, Duration.ofMinutes(2));
    assertNotRenewed();
    lock.unlock();
    assertTrue(lock.tryLock(Duration.ZERO, Duration.ofMinutes(1)));
    assertNotRenewed();
    lock.lock();
    registry.renewLock(KEY); // it is renewed from now on
    lock.unlock();
    lock.unlock();
    here.getReadWriteLock(KEY).writeLock().unlock();
  }

  private void assertNotRenewed() {
    String said =
        assertThrows(IllegalStateException.class, () -> registry.renewLock(KEY)).toString();
    assertTrue(said.contains("'orders'") && said.contains("renewLock(key, ttl)"), said);
  }

  @Test
  void aKeyIsNamedByItsText() {
    UUID id = UUID.randomUUID();
    var lock = new MortiseLockRegistry(here, "files").obtain(id);
    lock.lock();
    assertTrue(there.getLock("files:" + id).isLocked());
    lock.unlock();
  }

  @Test
  void aKeyWithoutATextOfItsOwnIsRefused() {
    List<Object> refused =
        List.of(
            new Object(),
            new WithHash("1"),
            new int[0],
            new String[] {"a"},
            List.of(new Object()),
            Set.of("a"),
            Map.of("a", 1),
            Optional.of("a"),
            "",
            " ",
            "x".repeat(513));
    for (Object key : refused) {
      assertThrows(IllegalArgumentException.class, () -> registry.obtain(key), key::toString);
    }
    for (Object key : List.of(1, TimeUnit.DAYS, Path.of("a"), new StringBuilder("b"))) {
      assertTrue(registry.obtain(key).toString().contains(key.toString()));
    }
    String said =
        assertThrows(IllegalArgumentException.class, () -> registry.obtain(new Object()))
            .toString();
    assertTrue(said.contains("another lock in each process"), said);
  }

  /** Its text is that of Object, but with this hash code. */
  private static final class WithHash {
    private final String part;

    WithHash(String part) {
      this.part = part;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof WithHash that && that.part.equals(part);
    }

    @Override
    public int hashCode() {
      return part.hashCode();
    }
  }

  @Test
  void aLossIsForgottenByAThreadThatWasTold() {
    registry.obtain(KEY).lock();
    lose();
    registry.obtain("bills").lock();
    registry.obtain("bills").unlock();
    assertThrows(LeaseLostException.class, () -> registry.obtain(KEY).tryLock());

    assertFalse(here.getLock(KEY).isHeldByCurrentThread());
    registry.obtain("bills").lock();
    registry.obtain("bills").unlock();
    assertTrue(registry.obtain(KEY).tryLock());
    registry.obtain(KEY).unlock();
  }

  @Test
  void whatARegistryAndALockSayNamesThem() {
    assertTrue(registry.toString().contains(here.clientId()), registry.toString());
    assertTrue(registry.obtain(KEY).toString().contains(KEY), registry.obtain(KEY).toString());
  }

  @Test
  void aMessageShowsTheNameOnOneLine() throws Exception {
    String forged = "order\n42";
    String shown = "lock 'order\\u000a42' ";
    there.getLock(forged).lock();
    var busy =
        assertThrows(
            TimeoutException.class, () -> registry.executeLocked(forged, Duration.ZERO, () -> {}));
    assertTrue(String.valueOf(busy.getMessage()).startsWith(shown + "was not"), busy::toString);
    there.getLock(forged).unlock();
    registry.obtain(forged).lock(Duration.ofSeconds(30));
    var fixed = assertThrows(IllegalStateException.class, () -> registry.renewLock(forged));
    assertTrue(String.valueOf(fixed.getMessage()).startsWith(shown + "is held"), fixed::toString);
    registry.obtain(forged).unlock();
    String text = new MortiseLockRegistry(here, forged).toString();
    assertTrue(text.startsWith("lock registry order\\u000a42: of "), text);
  }
}
