package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLock.IfBusy;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A handler answers a call whose lock is busy, in place of the method. */
class BusyHandlerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Base {
    final List<String> seen = new ArrayList<>();

    protected void noted(String id) {
      seen.add("busy " + id);
    }
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // handlers are called by name
  static class Shop extends Base {
    @WithLock(name = "stock", waitFor = "0", busyHandler = "later")
    public String sell(String id, int count) {
      return "sold " + id;
    }

    private String later(String id, int count, LockBusyException busy) {
      seen.add(World.message(busy));
      return "later " + count + " " + id;
    }

    /** A shorter one is not taken if there is one with the exception. */
    private String later(String id, int count) {
      throw new AssertionError(id);
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "noted")
    public void note(String id) {
      seen.add("free " + id);
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "failed")
    public int fail() {
      return 1;
    }

    private static int failed(LockBusyException busy) throws IOException {
      throw new IOException(busy);
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "stageLater")
    public CompletableFuture<String> stage() {
      return CompletableFuture.completedFuture("sold");
    }

    private CompletableFuture<String> stageLater() {
      return CompletableFuture.completedFuture("later");
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "eachLater")
    public Mono<String> each() {
      return Mono.just("sold");
    }

    private Mono<String> eachLater(LockBusyException busy) {
      seen.add("subscribed");
      return Mono.just("later");
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "@${handler:clerk}")
    public String ask(String id) {
      return "sold " + id;
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "@clerk")
    public int count(String id) {
      return 1;
    }

    @WithLock(name = "stock", waitFor = "0", busyHandler = "@clerk")
    public Flux<String> askEach(String id) {
      return Flux.just("sold " + id);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Clerk {
    @Bean
    @Lazy
    LockBusyHandler clerk() {
      return (busy, method, arguments) ->
          method.getReturnType() == Flux.class
              ? Flux.just("busy", arguments[0])
              : method.getName() + " " + arguments[0];
    }
  }

  private Shop start() {
    return world.start(Shop.class, Clerk.class);
  }

  @Test
  void aMethodOfTheClassAnswers() throws Throwable {
    Shop shop = start();
    Shop target = World.target(shop, Shop.class);
    assertEquals("sold 42", shop.sell("42", 3));
    shop.note("42");
    world.whileHeldElsewhere(
        "stock",
        () -> {
          assertEquals("later 3 42", shop.sell("42", 3));
          shop.note("43");
          var thrown = assertThrows(Exception.class, shop::fail);
          assertTrue(thrown instanceof IOException || thrown.getCause() instanceof IOException);
        });
    assertEquals("free 42", target.seen.get(0));
    assertTrue(target.seen.get(1).contains("'stock'"), target.seen.get(1));
    assertEquals("busy 43", target.seen.get(2));
    assertEquals(1, shop.fail());
  }

  @Test
  void itAnswersWithAStageOrForEachSubscription() throws Throwable {
    Shop shop = start();
    Shop target = World.target(shop, Shop.class);
    assertEquals("sold", Await.value(shop.stage()));
    assertEquals("sold", shop.each().block(PATIENCE));
    world.whileHeldElsewhere(
        "stock",
        () -> {
          assertEquals("later", Await.value(shop.stage()));
          Mono<String> each = shop.each();
          assertEquals(List.of(), target.seen);
          assertEquals("later", each.block(PATIENCE));
          assertEquals("later", each.block(PATIENCE));
        });
    assertEquals(List.of("subscribed", "subscribed"), target.seen);
  }

  @Test
  void aBeanAnswers() throws Throwable {
    Shop shop = start();
    assertEquals("sold 42", shop.ask("42"));
    world.whileHeldElsewhere(
        "stock",
        () -> {
          assertEquals("ask 42", shop.ask("42"));
          assertEquals(List.of("busy", "42"), shop.askEach("42").collectList().block(PATIENCE));
          var wrong = assertThrows(IllegalStateException.class, () -> shop.count("42"));
          assertTrue(World.message(wrong).contains("count 42, which is no int"));
        });
  }

  interface Office {
    @WithLock(name = "office", waitFor = "0", busyHandler = "closed")
    String open();
  }

  static class Branch implements Office {
    @Override
    public String open() {
      return "open";
    }

    String closed() {
      return "closed";
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Offices {
    @Bean
    Office office() {
      return new Branch();
    }
  }

  @Test
  void theHandlerOfAnInterfacesAnnotationIsInTheClass() throws Throwable {
    Office office = world.start(Offices.class).getBean(Office.class);
    assertTrue(Proxy.isProxyClass(office.getClass()), office.getClass()::getName);
    assertEquals("open", office.open());
    world.whileHeldElsewhere("office", () -> assertEquals("closed", office.open()));
  }

  @Test
  void aStoreThatIsDownIsNotBusy() {
    Shop shop = start();
    world.down = true;
    assertThrows(RuntimeException.class, () -> shop.sell("42", 3));
    assertEquals(List.of(), World.target(shop, Shop.class).seen);
  }

  @Test
  void aNativeImageMayCallIt() {
    RuntimeHints hints = new RuntimeHints();
    new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, Shop.class);
    Set<String> callable =
        hints
            .reflection()
            .typeHints()
            .flatMap(type -> type.methods())
            .map(method -> method.getName())
            .collect(Collectors.toSet());
    assertTrue(
        callable.containsAll(Set.of("sell", "later", "noted", "failed")), callable::toString);
  }

  // What stops the start

  static class Missing {
    @WithLock(name = "a", busyHandler = "busy")
    public void work() {}
  }

  static class WrongParameters extends Missing {
    public void busy(String other) {}
  }

  static class WrongOrder extends Missing {
    public void busy(LockBusyException first, String second) {}
  }

  static class WrongResult extends Missing {
    public String busy() {
      return "";
    }
  }

  static class Locked extends Missing {
    @WithLock("b")
    public void busy() {}
  }

  static class NoBean {
    @WithLock(name = "a", busyHandler = "@clerk")
    public void work() {}
  }

  static class WrongBean extends NoBean {
    @Bean
    String clerk() {
      return "";
    }
  }

  static class SkippedToo {
    @WithLock(name = "a", ifBusy = IfBusy.SKIP, busyHandler = "busy")
    public void work() {}

    public void busy() {}
  }

  @Test
  void aHandlerThatIsNotThereOrDoesNotFit() {
    world.refuses(Missing.class, "Missing.work()", "no method of that name", "LockBusyException");
    for (Class<?> each :
        List.of(WrongParameters.class, WrongOrder.class, WrongResult.class, Locked.class)) {
      world.refuses(each, "work()", "only", each.getSimpleName() + ".busy(", "returns void");
    }
    world.refuses(NoBean.class, "\"@clerk\"", "LockBusyHandler");
    world.refuses(WrongBean.class, "\"@clerk\"", "LockBusyHandler");
    world.refuses(SkippedToo.class, "SKIP", "busyHandler");
  }

  // Other attributes of what is acquired

  static class TwoNames {
    @WithLock(name = "a", names = "b")
    public void work() {}
  }

  static class BlankNames {
    @WithLock(names = {"a", " "})
    public void work() {}
  }

  static class PlainVariable {
    @WithLock(names = "a:#id")
    public void work(String id) {}
  }

  static class SeveralFenced {
    @WithLock(
        names = {"a", "b"},
        kind = WithLock.Kind.FENCED)
    public void work() {}
  }

  static class NoSemaphore {
    @WithLock(name = "a", totalPermits = 3)
    public void work() {}
  }

  static class NegativePermits {
    @WithLock(name = "a", permits = -1)
    public void work() {}
  }

  static class TooManyPermits {
    @WithLock(name = "a", permits = 4, totalPermits = 3)
    public void work() {}
  }

  static class FairPermits {
    @WithLock(name = "a", permits = 1, kind = WithLock.Kind.FAIR)
    public void work() {}
  }

  static class PermitsOfSeveral {
    @WithLock(
        names = {"a", "b"},
        permits = 1)
    public void work() {}
  }

  static class PermitsWithLimit {
    @WithLock(name = "a", permits = 1, maxHold = "1m")
    public void work() {}
  }

  static class PrivatePermits {
    @SuppressWarnings("UnusedMethod")
    @WithLock(name = "a", permits = 1)
    private void work() {}
  }

  static class FinalSeveral {
    @WithLock(names = {"a", "b"})
    public final void work() {}
  }

  @Test
  void attributesThatContradictEachOther() {
    world.refuses(TwoNames.class, "TwoNames.work()", "a name and names");
    world.refuses(BlankNames.class, "blank lock name");
    world.refuses(PlainVariable.class, "#id", "plain text");
    world.refuses(SeveralFenced.class, "FENCED", "names");
    world.refuses(NoSemaphore.class, "totalPermits", "permits = 1");
    world.refuses(NegativePermits.class, "negative");
    world.refuses(TooManyPermits.class, "4 permits of 3");
    for (Class<?> each :
        List.of(FairPermits.class, PermitsOfSeveral.class, PermitsWithLimit.class)) {
      world.refuses(each, each.getSimpleName() + ".work()", "has permits");
    }
    world.refuses(PrivatePermits.class, "is private");
    world.refuses(FinalSeveral.class, "is public final");
    assertFalse(world.here.holds().iterator().hasNext());
  }
}
