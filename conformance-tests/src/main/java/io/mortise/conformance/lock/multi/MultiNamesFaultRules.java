package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.MultiLock;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Many names in one command, with links that fail, servers that refuse, and services that close.
 */
public abstract class MultiNamesFaultRules extends MultiFixture {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  protected MultiNamesFaultRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L4", "W11"})
  void anInterruptMeanwhileLeavesAllOrNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    List<Contender.Way> ways =
        List.of(all::tryLock, lockingInterruptibly(all), () -> all.tryLock(MINUTE));
    for (Contender.Way way : ways) {
      HeldCall asked = link.hold("acquire-all");
      Contender free = contender(way);
      asked.awaitSent();
      free.interrupt();
      asked.pass();
      assertTrue(free.result());
      assertTrue(free.wasInterruptedAfter());
      free.leave(all::unlock);
    }
    DistributedLock other = service().getLock(nameOf(2));
    other.lock();
    Contender waiter = contender(lockingInterruptibly(all));
    Await.until("it waits", () -> isWaitedFor(2));
    waiter.interrupt();
    assertInstanceOf(InterruptedException.class, waiter.failure());
    assertEquals(List.of(other.name()), taken(4));
    other.unlock();
  }

  @Test
  @Rule("L14")
  void acquisitionsWithoutAnAnswerAreWithdrawn() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    link.set("acquire-all", Link.REPLY_LOST, 1);
    assertThrows(OutcomeUnknownException.class, all::tryLock);
    passTimeUntil("all are free", SECOND, () -> taken(4).isEmpty());
    link.set("acquire-all", Link.REPLY_LOST, 1);
    Contender patient = contender(locking(all));
    passTimeUntil("all are held", MINUTE, patient::isInside);
    patient.leave(all::unlock);
    assertFree(4);
  }

  @Test
  @Rule("L14")
  void aCommandThatArrivesLateTakesNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    HeldCall asked = link.hold("acquire-all");
    HeldCall leaves = link.hold("leave");
    Contender unlucky = contender(all::tryLock);
    asked.lose();
    assertInstanceOf(OutcomeUnknownException.class, unlucky.failure());
    leaves.pass();
    assertEquals("BUSY", asked.arrive().get(0));
    assertFree(4);
  }

  @Test
  @Rule({"L14", "L10"})
  void releasesWithoutAnAnswerGoOnInTheBackground() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    for (Link how : List.of(Link.DOWN, Link.REQUEST_LOST, Link.REPLY_LOST)) {
      all.lock();
      link.set("leave-all", how, 1);
      all.unlock();
      passTimeUntil("all are free", SECOND, () -> taken(4).isEmpty());
    }
  }

  @Test
  @Rule("L17")
  void aServiceThatClosesKeepsNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService service = service(link, builder -> builder);
    MultiLock all = MultiLock.of(locks(service, 4));
    HeldCall asked = link.hold("acquire-all");
    Contender unlucky = contender(all::tryLock);
    asked.awaitSent();
    Contender closing =
        contender(() -> {
          service.close();
          return false;
        });
    asked.pass();
    assertInstanceOf(LockServiceClosedException.class, unlucky.failure());
    assertFalse(closing.result());
    passTimeUntil("all are free", SECOND, () -> taken(4).isEmpty());
    assertThrows(LockServiceClosedException.class, all::tryLock);
    assertThrows(LockServiceClosedException.class, all::lock);
  }

  /** A server may refuse keys of a slot that moves, if they are in one command. */
  @Test
  @Rule({"L14", "L19"})
  void whatTheServerRefusesTogetherIsTakenOneByOne() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    UnaryOperator<ScriptCall> refused =
        call ->
            call.script().name().endsWith("-all")
                ? new ScriptCall(
                    Script.of("refused", "return redis.call('HSET', KEYS[1])"),
                    call.keys(),
                    call.args(),
                    call.timeout())
                : call;
    for (Contender.Way way : List.<Contender.Way>of(all::tryLock, locking(all))) {
      link.send(refused);
      Contender lucky = contender(way);
      assertTrue(lucky.result());
      assertEquals(4, taken(4).size());
      lucky.leave(all::unlock);
      passTimeUntil("all are free", SECOND, () -> taken(4).isEmpty());
    }
  }

  /** A cluster may look like one server, and refuses a command for names of several slots. */
  @Test
  @Rule({"L14", "L19", "L5"})
  void whereSlotsMayNotMixNamesGoOneByOneFromTheFirstRefusalOn() {
    for (String refused : List.of("acquire-all", "leave-all")) {
      for (int way = 0; way < 3; way++) {
        AtomicInteger together = new AtomicInteger();
        FaultyBackend link = new FaultyBackend(this::backend);
        LockService service = service(link, builder -> builder);
        List<DistributedLock> mine =
            IntStream.range(0, 4).mapToObj(i -> service.getLock(name + i)).toList();
        MultiLock all = MultiLock.of(mine);
        link.send(call -> call.script().name().equals(refused) ? mixed(call, together) : call);
        Contender.Way first =
            List.of(all::tryLock, () -> all.tryLock(MINUTE), locking(all)).get(way);
        for (int round = 0; round < 2; round++) {
          Contender lucky = contender(first);
          assertTrue(lucky.result());
          assertEquals(4, mine.stream().filter(each -> each.isLocked()).count());
          lucky.leave(all::unlock);
          assertEquals(0, mine.stream().filter(each -> each.isLocked()).count());
        }
        assertTrue(together.get() <= 1, () -> together + " times " + refused);
      }
    }
  }

  private static ScriptCall mixed(ScriptCall call, AtomicInteger count) {
    count.incrementAndGet();
    String source = "return {err = 'CROSSSLOT Keys in request don\\'t hash to the same slot'}";
    return new ScriptCall(Script.of("mixed", source), call.keys(), call.args(), call.timeout());
  }

  /** Its deadline is over after the first round, and a command for many says little of each. */
  @Test
  @Rule({"L5", "L14"})
  void aShortWaitGetsNamesThatAreFreeAndRemembered() throws InterruptedException {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    link.set("acquire-all", Link.REPLY_LOST, 1);
    assertThrows(OutcomeUnknownException.class, all::tryLock);
    passTimeUntil("all are free", SECOND, () -> taken(4).isEmpty());

    link.send(call -> {
      if (call.script().name().equals("acquire-all")) {
        passTime(Duration.ofMillis(2));
      }
      return call;
    });
    assertTrue(all.tryLock(Duration.ofMillis(1)), "they have tombstones, and no holder");
    all.unlock();
    assertFree(4);
  }

  // What unlock() sends. The holds have ended by then, so nothing renews them any more

  private List<CompletableFuture<Lease>> waitersFor(int count) {
    List<CompletableFuture<Lease>> waiters =
        locks(service(), count).stream().map(each -> each.async().acquire()).toList();
    Await.until("all are waited for", () -> IntStream.range(0, count).allMatch(this::isWaitedFor));
    return waiters;
  }

  private static void assertGranted(List<CompletableFuture<Lease>> waiters) {
    waiters.forEach(each -> Await.value(each).close());
  }

  /** One after the other, the commands for the names would take longer than their lease. */
  @Test
  @Rule({"L3", "L19"})
  void namesThatAreWaitedForAreNotLostOnTheWay() {
    Far far = new Far(backend());
    Duration lease = Duration.ofSeconds(3);
    LockService service = service(far, builder -> builder.leaseTime(lease).commandTimeout(SECOND));
    MultiLock all = MultiLock.of(locks(service, 40));
    all.lock();
    List<CompletableFuture<Lease>> waiters = waitersFor(40);
    far.isFar = true;

    all.unlock();

    assertTrue(far.trips <= 2, () -> far.trips + " round trips");
    assertGranted(waiters);
  }

  /** A server to which each command of a release takes a while. */
  private final class Far extends ForwardingBackend {
    private final LockBackend backend;
    private boolean isFar;
    private int trips;

    Far(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    private void travel(ScriptCall call) {
      if (isFar && call.script().name().startsWith("leave")) {
        trips++;
        passTime(Duration.ofMillis(100));
      }
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      travel(call);
      return backend.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      travel(call);
      return backend.executeAsync(call);
    }

    @Override
    public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
      travel(calls.get(0));
      return backend.executeAll(calls);
    }
  }

  /** So a server that does not answer costs the time of one command, however many there are. */
  @Test
  @Rule({"L14", "W12"})
  void allCommandsOfAReleaseAreOutBeforeAnAnswerIsWaitedFor() {
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);
    LockService second = service(spy, builder -> builder);
    MultiLock many = MultiLock.of(locks(service, 450));
    List<DistributedLock> several = new ArrayList<>(locks(service, 4));
    IntStream.range(4, 8).forEach(i -> several.add(second.getLock(nameOf(i))));
    MultiLock plain = MultiLock.of(several);
    MultiLock fenced =
        MultiLock.of(
            IntStream.range(0, 5).mapToObj(i -> service.getFencedLock(nameOf(i))).toList());
    DistributedLock other = service().getLock(nameOf(4));

    assertOutTogether(spy, "leave-all", 3, releasing(many, many::unlock));
    assertOutTogether(spy, "linger", 8, releasing(plain, () -> plain.unlockAfter(SECOND)));
    passTimeUntil("all are free", SECOND.multipliedBy(3), () -> taken(8).isEmpty());
    assertOutTogether(spy, "leave", 5, releasing(fenced, fenced::unlock));
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    Runnable release =
        () -> {
          waiters.addAll(waitersFor(8));
          plain.unlock();
        };
    assertOutTogether(spy, "leave", 8, releasing(plain, release));
    assertGranted(waiters);
    other.lock();
    assertOutTogether(spy, "leave", 4, () -> !fenced.tryLock());
    other.unlock();
    assertFree(450);
  }

  @Test
  @Rule({"L10", "L14"})
  void aServerThatIsSilentKeepsBackNoReleaseAtAnother() {
    SpyBackend silent = new SpyBackend(backend());
    SpyBackend spy = new SpyBackend(backend());
    LockService one = service(spy, builder -> builder);
    LockService other = service(silent, builder -> builder);
    List<DistributedLock> mine = new ArrayList<>(locks(one, 4));
    IntStream.range(4, 8).forEach(i -> mine.add(other.getLock(nameOf(i))));
    MultiLock all = MultiLock.of(mine);
    List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    silent.keepBack(call -> call.script().name().equals("leave-all"));
    Runnable release =
        () -> {
          waiters.addAll(waitersFor(4));
          all.unlock();
        };

    Contender releasing = Contender.startBusy(releasing(all, release));
    Await.until("the silent one is asked", () -> silent.keptBack() == 1);
    waiters.forEach(Await::value);

    silent.release();
    assertTrue(releasing.result());
    assertGranted(waiters);
    assertFree(8);
  }

  private static Contender.Way releasing(MultiLock lock, Runnable release) {
    return () -> {
      lock.lock();
      release.run();
      return true;
    };
  }

  private static void assertOutTogether(
      SpyBackend spy, String script, int count, Contender.Way way) {
    spy.keepBack(call -> call.script().name().equals(script));
    Contender releasing = Contender.startBusy(way);
    Await.until(count + " times " + script, () -> spy.keptBack() == count);
    spy.release();
    assertTrue(releasing.result());
  }
}
