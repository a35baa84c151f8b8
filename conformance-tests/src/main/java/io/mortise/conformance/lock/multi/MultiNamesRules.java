package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.ForeignKeyException;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many names in one command: what it costs, that it is all or nothing, and what it leaves. */
public abstract class MultiNamesRules extends MultiFixture {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  protected MultiNamesRules(LockKit kit) {
    super(kit);
  }

  /** How many calls of scripts for one lock and for many a backend has sent. */
  private static String sent(SpyBackend spy) {
    return "%d + %d, %d + %d"
        .formatted(
            spy.sent("acquire-all").size(),
            spy.sent("acquire").size(),
            spy.sent("leave-all").size(),
            spy.sent("leave").size());
  }

  // The price

  @Test
  @Rule({"L19", "L1"})
  void freeNamesCostOneCommandForEach200() throws InterruptedException {
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);
    int[] counts = {1, 2, 200, 201, 1_000};
    String[] prices = {
      "0 + 1, 0 + 1", "1 + 0, 1 + 0", "1 + 0, 1 + 0", "1 + 1, 1 + 1", "5 + 0, 5 + 0"
    };
    for (int i = 0; i < counts.length; i++) {
      MultiLock all = MultiLock.of(locks(service, counts[i]));
      List<Contender.Way> ways =
          List.of(all::tryLock, () -> all.tryLock(MINUTE), locking(all), lockingInterruptibly(all));
      for (Contender.Way way : ways) {
        spy.forget();
        assertTrue(way.acquire());
        assertTrue(all.isHeldByCurrentThread());
        assertFalse(service().getLock(nameOf(counts[i] - 1)).tryLock());
        all.unlock();
        assertEquals(prices[i], sent(spy), counts[i] + " names, way " + ways.indexOf(way));
      }
    }
    assertFree(1_000);
  }

  @Test
  @Rule({"L19", "L5"})
  void aTryThatIsRefusedTakesThoseBeforeAtOnceAndLeavesNothing() {
    SpyBackend spy = new SpyBackend(backend());
    MultiLock all = MultiLock.of(locks(service(spy, builder -> builder), 450));
    LockService theirs = service();
    for (int busy : new int[] {0, 1, 299, 449}) {
      DistributedLock other = theirs.getLock(nameOf(busy));
      other.lock();
      spy.forget();
      assertFalse(all.tryLock());
      assertEquals(List.of(other.name()), taken(450));
      other.unlock();
      String price =
          switch (busy) {
            case 0 -> "1 + 1, 0 + 0";
            case 1 -> "1 + 2, 0 + 1"; // one that is alone has its usual command
            case 299 -> "3 + 1, 2 + 0";
            default -> "4 + 1, 3 + 0";
          };
      assertEquals(price, sent(spy), "number " + busy + " is busy");
    }
  }

  @Test
  @Rule({"L19", "L10"})
  void itWaitsForTheBusyOneWithNothingInHand() {
    SpyBackend spy = new SpyBackend(backend());
    MultiLock all = MultiLock.of(locks(service(spy, builder -> builder), 450));
    DistributedLock other = service().getLock(nameOf(300));
    other.lock();
    Contender waiter = contender(locking(all));
    Await.until("it waits", () -> isWaitedFor(300));
    assertEquals(List.of(other.name()), taken(450));
    assertEquals("3 + 1, 2 + 0", sent(spy));

    other.unlock();

    assertTrue(waiter.result());
    assertEquals(450, taken(450).size());
    assertEquals(6, spy.sent("acquire-all").size());
    waiter.leave(all::unlock);
    assertFree(450);
  }

  @Test
  @Rule("L19")
  void nestedAndRetainedNamesNeedNoCommand() {
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder.retain(Duration.ofSeconds(15)));
    MultiLock all = MultiLock.of(locks(service, 5));
    all.lock();
    spy.forget();
    assertTrue(all.tryLock());
    all.lock();
    assertEquals(3, all.getHoldCount());
    all.unlock();
    all.unlock();
    all.unlock(); // now they are retained
    assertTrue(all.tryLock());
    all.unlock();
    all.lock();
    all.unlock();
    assertEquals("0 + 0, 0 + 0", sent(spy));

    MultiLock theirs = MultiLock.of(locks(service(), 5));
    assertTrue(theirs.tryLock(), "they are recalled");
    theirs.unlock();
  }

  // All or nothing

  @Test
  @Rule({"L2", "L5"})
  void aHoldThatTheThreadHasStaysWhatItWas() {
    List<DistributedLock> mine = locks(service(), 6);
    MultiLock all = MultiLock.of(mine);
    DistributedLock other = service().getLock(nameOf(4));
    mine.get(2).lock();

    assertTrue(all.tryLock());
    assertEquals(2, mine.get(2).getHoldCount());
    all.unlock();
    other.lock();
    assertFalse(all.tryLock());

    assertEquals(1, mine.get(2).getHoldCount());
    assertEquals(2, taken(6).size());
    mine.get(2).unlock();
    other.unlock();
  }

  @Test
  @Rule({"L1", "L5"})
  void membersOfAnyKindAndServiceAreTakenTogether() {
    SpyBackend spy = new SpyBackend(backend());
    LockService one = service(spy, builder -> builder);
    LockService two = service();
    List<LeasedLock> members = new ArrayList<>(locks(one, 3));
    members.add(one.getFairLock(nameOf(3)));
    members.add(one.getFencedLock(nameOf(4)));
    members.add(one.getLock(nameOf(5)));
    members.add(two.getLock(nameOf(6)));
    members.add(two.getLock(nameOf(7)));
    members.add(one.getLock(nameOf(8)).withLease(MINUTE));
    members.add(one.getReadWriteLock(nameOf(9)).writeLock());
    MultiLock all = MultiLock.of(members);

    assertTrue(all.tryLock());
    assertTrue(all.isHeldByCurrentThread());
    assertEquals("1 + 3, 0 + 0", sent(spy), "0 to 3 together, then 4, 5 and 8");
    all.unlock();
    DistributedLock other = service().getLock(nameOf(7));
    other.lock();
    assertFalse(all.tryLock());

    assertEquals(List.of(other.name()), taken(9));
    other.unlock();
  }

  @Test
  @Rule({"L18", "L15"})
  void aForeignKeyIsRefusedAndNothingIsTaken() {
    MultiLock all = MultiLock.of(locks(service(), 4));
    String key = "mortise:lock:" + nameOf(2);
    runOn(key, "return {redis.call('SET', KEYS[1], 'theirs', 'PX', 60000).ok}");

    assertThrows(ForeignKeyException.class, all::tryLock);
    assertThrows(ForeignKeyException.class, all::lock);

    assertEquals(List.<Object>of("theirs"), runOn(key, "return {redis.call('GET', KEYS[1])}"));
    runOn(key, "return {redis.call('DEL', KEYS[1])}");
    assertFree(4);
    assertTrue(all.tryLock());
    all.unlock();
  }

  /** The rules find a command that takes what comes before a busy name, and keeps it. */
  @Test
  @Rule("L15")
  void aCommandThatTakesAPartIsFound() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock all = MultiLock.of(locks(service(link, builder -> builder), 4));
    link.send(MultiNamesRules::takingAPart);
    DistributedLock other = service().getLock(nameOf(3));
    other.lock();
    assertFalse(all.tryLock());
    assertEquals(4, taken(4).size());
    other.unlock();
  }

  private static ScriptCall takingAPart(ScriptCall call) {
    String source =
        """
        for i = 1, #KEYS, 3 do
          if redis.call('EXISTS', KEYS[i], KEYS[i + 1], KEYS[i + 2]) > 0 then
            return {'BUSY', (i + 2) / 3}
          end
          redis.call('HSET', KEYS[i], ARGV[(i + 2) / 3 + 1], '1')
          redis.call('PEXPIRE', KEYS[i], ARGV[1])
        end
        return 1
        """;
    return call.script().name().equals("acquire-all")
        ? new ScriptCall(Script.of("acquire-all", source), call.keys(), call.args(), call.timeout())
        : call;
  }

  // Others

  @Test
  @Rule("L10")
  void whoWaitsForOneOfThemGetsIt() {
    SpyBackend spy = new SpyBackend(backend());
    MultiLock all = MultiLock.of(locks(service(spy, builder -> builder), 5));
    DistributedLock theirs = service().getLock(nameOf(3));
    all.lock();
    Contender waiter = entering(theirs);
    Await.until("it waits", () -> isWaitedFor(3));
    all.unlock();

    assertTrue(waiter.result());
    assertEquals("1 + 0, 1 + 1", sent(spy));
    assertEquals(List.of(nameOf(3)), taken(5));
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L9", "W12"})
  void aLossIsReportedAndTheOthersAreReleased() {
    List<DistributedLock> mine = locks(service(), 5);
    MultiLock all = MultiLock.of(mine);
    for (boolean told : new boolean[] {true, false}) {
      all.lock();
      if (told) {
        assertTrue(mine.get(2).forceUnlock());
      } else {
        runOn("mortise:lock:" + nameOf(2), "return {redis.call('DEL', KEYS[1])}");
      }

      LeaseLostException e = assertThrows(LeaseLostException.class, all::unlock);

      assertEquals(1, e.getSuppressed().length);
      assertFree(5);
    }
  }

  @Test
  @Rule({"L1", "L5"})
  void anAttemptOnOneNameIsNotRefusedByOneThatGetsNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    List<DistributedLock> mine = locks(service(link, builder -> builder), 3);
    MultiLock all = MultiLock.of(mine);
    for (boolean busy : new boolean[] {true, false}) {
      DistributedLock other = service().getLock(nameOf(0));
      assertTrue(!busy || other.tryLock());
      HeldCall asked = link.hold("acquire-all");
      Contender many = contender(all::tryLock);
      asked.awaitSent();
      Contender one = contender(mine.get(2)::tryLock);
      assertFalse(one.isInside());
      asked.pass();

      assertEquals(busy, one.result(), "it waited for the answer");
      assertEquals(!busy, many.result());
      if (busy) {
        one.leave(mine.get(2)::unlock);
        other.unlock();
      } else {
        many.leave(all::unlock);
      }
    }
    assertFree(3);
  }
}
