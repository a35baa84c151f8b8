package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Mono;

/** A method with several names runs under all of these locks, or not at all. */
class SeveralLocksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Bank {
    Runnable inside = () -> {};
    CompletableFuture<String> work = new CompletableFuture<>();
    int runs;

    @Lazy @Autowired Bank self;

    @WithLock(
        names = {"account:#{#from}", "account:#{#to}"},
        waitFor = "0")
    public void transfer(String from, String to) {
      runs++;
      inside.run();
    }

    @WithLock(
        names = {"bank", "item:#{#items}"},
        waitFor = "0")
    public void order(@Nullable Collection<@Nullable String> items) {
      runs++;
      inside.run();
    }

    @WithLock(names = "item:#{#items}", waitFor = "0")
    public void sort(Collection<?> items) {
      runs++;
      inside.run();
    }

    @WithLock(names = "#{#p0}", waitFor = "0")
    public void count(int... shelves) {
      inside.run();
    }

    @WithLock(names = "#{#shops}:#{#items}", waitFor = "0")
    public void stock(List<String> shops, List<String> items) {
      runs++;
    }

    @WithLock(
        names = {"a", "b"},
        waitFor = "0")
    public void around() {
      self.inner();
    }

    @WithLock(name = "b", waitFor = "0")
    public void inner() {
      inside.run();
    }

    @WithLock(name = "b", waitFor = "0")
    public void aroundStage() {
      var unused = self.later();
    }

    @WithLock(
        names = {"a", "b"},
        waitFor = "0")
    public CompletableFuture<String> later() {
      return work;
    }

    @WithLock(name = "a", waitFor = "0")
    public CompletableFuture<String> stageAround() {
      self.inner();
      return work;
    }

    @WithLock(
        names = {"a", "b"},
        waitFor = "0")
    public Mono<String> each() {
      return Mono.fromSupplier(() -> {
        inside.run();
        return "done";
      });
    }

    @WithLock(name = "b", waitFor = "0")
    public Mono<String> aroundPublisher() {
      return self.each();
    }

    @WithLock(
        names = {"a", "b"},
        atLeast = "1m")
    public void daily() {}
  }

  private final Bank bank = world.start(Bank.class, Object.class);
  private final Bank target = World.target(bank, Bank.class);

  private void inside(Runnable check) {
    target.inside = check;
  }

  private List<String> held(String... names) {
    return List.of(names).stream().filter(name -> !world.isFree(name)).toList();
  }

  private void assertFree() {
    assertEquals(List.of(), held("a", "b", "account:1", "account:2", "bank"));
  }

  @Test
  void allAreHeldWhileTheMethodRuns() {
    List<String> seen = new ArrayList<>();
    inside(() -> {
      LockContext.ensureHeld("account:1");
      LockContext.ensureHeld("account:2");
      seen.addAll(held("account:1", "account:2", "account:3"));
    });
    bank.transfer("1", "2");
    assertEquals(List.of("account:1", "account:2"), seen);
    assertFree();
  }

  @Test
  void allOrNone() throws Throwable {
    world.whileHeldElsewhere(
        "account:2",
        () -> {
          var busy = assertThrows(LockBusyException.class, () -> bank.transfer("1", "2"));
          assertTrue(World.message(busy).contains("[account:1, account:2]"), World.message(busy));
          assertTrue(world.isFree("account:1"));
        });
    assertEquals(0, target.runs);
  }

  @Test
  void aNameThatComesTwiceIsOneLock() {
    inside(() -> assertEquals(List.of("account:1"), held("account:1", "account:2")));
    bank.transfer("1", "1");
    assertEquals(1, target.runs);
    assertFree();
  }

  @Test
  void aListGivesANameForEachElement() {
    inside(() ->
        assertEquals(
            List.of("bank", "item:x", "item:y"), held("bank", "item:x", "item:y", "item:z")));
    bank.order(List.of("x", "y"));
    inside(() -> assertEquals(List.of("bank"), held("bank", "item:x")));
    bank.order(List.of());
    inside(() -> assertEquals(List.of("7", "8"), held("7", "8", "9")));
    bank.count(7, 8);
    assertFree();
  }

  @Test
  void aListThatGivesNoNameOrAnUnclearOneThrows() {
    assertThrows(IllegalArgumentException.class, () -> bank.count());
    assertThrows(IllegalArgumentException.class, () -> bank.order(null));
    List<@Nullable String> withNull = new ArrayList<>();
    withNull.add(null);
    assertThrows(IllegalArgumentException.class, () -> bank.order(withNull));
    assertThrows(IllegalArgumentException.class, () -> bank.order(List.of(" ")));
    var two =
        assertThrows(
            IllegalArgumentException.class, () -> bank.stock(List.of("s"), List.of("x", "y")));
    assertTrue(World.message(two).contains("second list"), World.message(two));
    assertEquals(0, target.runs);
    assertFree();
  }

  @Test
  void anElementIsReadAsASingleNameIs() {
    inside(() -> assertEquals(List.of("item:x"), held("item:x")));
    bank.sort(List.of(Optional.of("x")));
    for (Object bad :
        List.of(List.of("x"), Map.of("x", "y"), new int[1], Optional.empty(), new Object())) {
      assertThrows(IllegalArgumentException.class, () -> bank.sort(List.of(bad)));
    }
    assertEquals(1, target.runs);
  }

  @Test
  void aListInAListIsRefused() {
    var refused =
        assertThrows(IllegalArgumentException.class, () -> bank.sort(List.of(List.of("x"))));
    assertTrue(World.message(refused).contains("a flat list"), World.message(refused));
  }

  @Test
  void aNestedCallWithOneOfTheLocksRuns() {
    inside(() -> assertEquals(List.of("a", "b"), held("a", "b")));
    bank.around();
    assertFree();
  }

  @Test
  void aLossOfOneIsALossOfAll() {
    inside(() -> world.force("account:2"));
    assertThrows(LeaseLostException.class, () -> bank.transfer("1", "2"));
    assertFree();
  }

  @Test
  void aNestedCallUnderALostMemberDoesNotRun() {
    inside(() -> {
      world.force("account:1");
      Await.until("the loss is known", () -> world.here.holds().size() == 1);
      inside(() -> target.runs += 10);
      assertThrows(LeaseLostException.class, () -> bank.transfer("2", "3"));
    });
    assertThrows(LeaseLostException.class, () -> bank.transfer("1", "2"));
    assertEquals(1, target.runs);
    assertFree();
  }

  @Test
  void aStageHoldsAllUntilItCompletes() {
    CompletableFuture<String> later = bank.later();
    assertEquals(List.of("a", "b"), held("a", "b"));
    target.work.complete("done");
    assertEquals("done", Await.value(later));
    assertFree();
  }

  @Test
  void aStageUnderOneOfItsLocksWouldWaitForItself() {
    assertThrows(IllegalStateException.class, bank::aroundStage);
    world.here.getLock("a").lock();
    assertThrows(IllegalStateException.class, bank::later);
    world.here.getLock("a").unlock();
    assertFalse(target.work.isDone());
    assertFree();
  }

  @Test
  void aCallUnderALockOfItsStageIsRefusedBehindANewerHold() {
    List<String> seen = new ArrayList<>();
    inside(() -> {
      inside(() -> {});
      seen.addAll(held("a", "b"));
      bank.around();
    });
    var refused = assertThrows(IllegalStateException.class, bank::stageAround);
    assertTrue(World.message(refused).contains("'a'"), World.message(refused));
    assertEquals(List.of("a", "b"), seen);
    assertFree();
  }

  @Test
  void aPublisherHoldsAllWhileItIsSubscribedTo() throws Throwable {
    inside(() -> assertEquals(List.of("a", "b"), held("a", "b")));
    assertEquals("done", bank.each().block(PATIENCE));
    assertFree();
    world.whileHeldElsewhere(
        "b", () -> assertThrows(LockBusyException.class, () -> bank.each().block(PATIENCE)));
    var nested =
        assertThrows(IllegalStateException.class, () -> bank.aroundPublisher().block(PATIENCE));
    assertInstanceOf(IllegalStateException.class, nested);
    Await.until("all are free", () -> held("a", "b").isEmpty());
  }

  @Test
  void allStayForTheLeastTime() {
    bank.daily();
    assertEquals(List.of("a", "b"), held("a", "b"));
    world.store.advance(Duration.ofMinutes(2));
    assertFree();
  }
}
