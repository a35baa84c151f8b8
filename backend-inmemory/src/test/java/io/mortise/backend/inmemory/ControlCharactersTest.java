package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Deadlock;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.Kind;
import io.mortise.LeaderElection;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.WaitInfo;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * A name may come from a request, also that of a thread, and another process may write anything
 * into the store. No message and no line of the log shows control characters of them.
 */
class ControlCharactersTest {
  private static final String NAME = "order\n2026-11-28 ERROR forged\u001b[31m\u0085\u2028\u2029";
  private static final String SHOWN =
      "order\\u000a2026-11-28 ERROR forged\\u001b[31m\\u0085\\u2028\\u2029";

  private final LogCapture log = LogCapture.start();
  private final LockService service = open();
  private final List<LockService> members = List.of(open(), open(), open());
  private final List<String> texts = new ArrayList<>();

  private static LockService open() {
    return LockService.open("memory:" + UUID.randomUUID());
  }

  @AfterEach
  void close() {
    service.close();
    members.forEach(LockService::close);
    log.close();
  }

  @Test
  void everyObjectShowsItsNameOnOneLine() throws Exception {
    DistributedLock lock = service.getLock(NAME);
    try (Lease lease = service.getLock("other" + NAME).acquire();
        Lease both =
            MultiLock.of(service.getLock("a" + NAME), service.getLock("b" + NAME)).acquire()) {
      lock.lock();
      for (Object each :
          List.of(
              lock,
              lease,
              both,
              lock.newCondition(),
              lock.newCondition(NAME.replace("\n", "\t")),
              service.getFairLock(NAME),
              service.getFencedLock(NAME),
              service.getReadWriteLock(NAME),
              service.getSemaphore(NAME),
              service.getCountDownLatch(NAME),
              MultiLock.of(lock, service.getLock("c" + NAME)),
              redLock(),
              candidate())) {
        texts.add(each.toString());
      }
      lock.unlock();
    }
    check(13, SHOWN.substring(SHOWN.indexOf("2026")));
  }

  @Test
  void everyExceptionShowsTheNameOnOneLine() {
    DistributedLock lock = service.getLock(NAME);
    refused(lock::unlock);
    refused(() -> service.getLock(NAME + "{").lock());
    refused(() -> service.getLock(NAME + "x".repeat(512)));
    refused(() -> service.getLock(NAME + '\ud83d'));
    refused(() -> lock.newCondition("a:" + NAME));
    refused(() -> service.getSemaphore(NAME).tryAcquire(0));
    refused(() -> service.getCountDownLatch(NAME).countDown());
    refused(() -> redLock().unlock());
    refused(() -> MultiLock.of(lock, lock));
    refused(() -> MultiLock.of(lock, service.getLock("b" + NAME)).unlock());
    lock.lock();
    refused(lock::acquire);
    refused(() -> service.getFencedLock(NAME).fencingToken());
    refused(() -> MultiLock.of(lock, service.getLock("b")).acquire());
    service.getLock(NAME).forceUnlock();
    texts.add(assertThrows(LeaseLostException.class, lock::unlock).getMessage());
    service.getReadWriteLock(NAME).readLock().lock();
    refused(() -> service.getReadWriteLock(NAME).writeLock().lock());
    service.close();
    refused(lock::lock);
    check(16, "order\\u000a2026-11-28 ERROR forged");
  }

  @Test
  void everyExceptionShowsTheThreadOnOneLine() throws Exception {
    inForgedThread(() -> {
      DistributedLock lock = service.getLock("x");
      refused(lock::unlock);
      refused(() -> redLock().unlock());
      refused(() -> MultiLock.of(lock, service.getLock("y")).unlock());
      lock.lock();
      texts.add(lock.toString());
      refused(lock::acquire);
      refused(() -> MultiLock.of(lock, service.getLock("y")).acquire());
      RedLock red = redLock();
      red.lock();
      refused(red::acquire);
      service.getLock("x").forceUnlock();
      texts.add(assertThrows(LeaseLostException.class, lock::unlock).getMessage());
      DistributedReadWriteLock both = service.getReadWriteLock("rw");
      both.readLock().lock();
      refused(both.writeLock()::lock);
    });
    check(9, SHOWN);
  }

  @Test
  void everyValueShowsItsTextsOnOneLine() throws Exception {
    inForgedThread(() -> {
      DistributedLock lock = service.getLock(NAME);
      lock.lock();
      texts.add(service.holds().toString());
      texts.add(lock.holder().orElseThrow().toString());
      texts.add(service.find("*", 10).toString());
      lock.unlock();
    });
    texts.add(new WaitInfo(NAME, Kind.PLAIN, Optional.of(NAME), Duration.ZERO).toString());
    texts.add(
        new Deadlock.Party(
                "client", NAME, 1, NAME, 1, NAME, NAME, Duration.ZERO, List.of(NAME, NAME))
            .toString());
    check(5, SHOWN.substring(SHOWN.indexOf("2026")));
  }

  @Test
  void theLogShowsAThreadThatHasEndedOnOneLine() throws Exception {
    InMemoryStore store = InMemoryStore.withMovableTime();
    try (LockService moved = LockService.of(store.backend())) {
      inForgedThread(moved.getLock("x")::lock);
      store.advance(Duration.ofSeconds(30));
    }
    texts.addAll(log.lines("ended without unlocking"));
    assertFalse(texts.isEmpty());
    check(texts.size(), SHOWN);
  }

  @Test
  void theLogShowsTheNamesThatAClosedServiceHeldOnOneLine() {
    try (LockService closed = open()) {
      closed.getLock(NAME).lock();
    }
    texts.addAll(log.lines("was closed while it held"));
    check(1, SHOWN);
  }

  @Test
  void theLogShowsForeignMessagesOnOneLine() {
    InMemoryStore store = InMemoryStore.create();
    try (LockService told = LockService.of(store.backend())) {
      told.getLock("held").lock();
      String held = told.getLock("held").holder().orElseThrow().id();
      for (String message : List.of(NAME, "probe 1 " + NAME + '|' + held + '|')) {
        Calls.eval(
            store.backend(),
            "return {redis.call('PUBLISH', ARGV[1], ARGV[2])}",
            "mortise:mail:" + told.clientId(),
            message);
      }
      Await.until("both are logged", () -> log.lines(" ignores ").size() == 2);
    }
    texts.addAll(log.lines(" ignores "));
    check(2, "order\\u000a2026-11-28 ERROR forged");
  }

  private static void inForgedThread(Executable task) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                task.execute();
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            },
            NAME);
    thread.start();
    Await.value(done);
    thread.join();
  }

  @Test
  void theLogShowsTheNameOnOneLine() {
    DistributedLock lock = service.getLock(NAME);
    lock.lock();
    lock.forceUnlock();
    assertThrows(LeaseLostException.class, lock::unlock);
    candidate().close();
    Await.until("the loss is logged", () -> !log.lines("forged").isEmpty());
    texts.addAll(log.lines("forged"));
    check(texts.size(), SHOWN);
    assertEquals(Set.of(NAME), Set.copyOf(List.of(lock.name())), "the name itself stays");
  }

  /** It leads at once, and its callbacks throw. */
  private LeaderElection candidate() {
    AtomicBoolean told = new AtomicBoolean();
    LeaderElection candidate =
        LeaderElection.join(
            service.getFencedLock("led" + NAME),
            new LeaderElection.Leader() {
              @Override
              public void onElected(long term) {
                told.set(true);
                throw new IllegalStateException("planted");
              }

              @Override
              public void onRevoked(long term, Optional<LossCause> loss) {}
            });
    Await.until("it is elected", told::get);
    return candidate;
  }

  private void refused(Executable call) {
    texts.add(String.valueOf(assertThrows(RuntimeException.class, call).getMessage()));
  }

  private RedLock redLock() {
    return RedLock.of(members.stream().map(each -> each.getLock(NAME)).toArray(LeasedLock[]::new));
  }

  private void check(int count, String part) {
    assertEquals(count, texts.size());
    for (String each : texts) {
      assertTrue(each.contains(part), each);
      assertTrue(
          each.chars().noneMatch(Character::isISOControl) && !each.matches(".*[\u2028\u2029].*"),
          each);
    }
  }
}
