package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
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
import io.mortise.conformance.support.Await;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
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
}
