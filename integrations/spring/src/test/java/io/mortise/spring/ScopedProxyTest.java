package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** A bean behind the proxy of its scope is locked by the proxy of its target. */
class ScopedProxyTest {
  private static final AtomicInteger RUNS = new AtomicInteger();

  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class Shop {
    @WithLock("stock")
    public void sell() {
      LockContext.ensureHeld("stock");
      RUNS.incrementAndGet();
    }
  }

  interface Selling {
    void sell();
  }

  @Scope(value = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
  static class SellingShop extends Shop implements Selling {}

  record Till(Shop shop) {}

  record OtherTill(Selling shop) {}

  @Test
  void aCallThroughTheProxyOfTheScopeIsLocked() {
    RUNS.set(0);
    world.start(new Class<?>[] {Till.class, Shop.class}).getBean(Till.class).shop().sell();
    var context = world.start(new Class<?>[] {OtherTill.class, SellingShop.class});
    context.getBean(OtherTill.class).shop().sell();
    assertEquals(2, RUNS.get());
    assertTrue(world.isFree("stock"));
  }

  @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class FinalShop {
    @WithLock("stock")
    public final void sell() {}
  }

  record FinalTill(FinalShop shop) {}

  @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
  static class Misread {
    @WithLock(name = "stock", waitFor = "soon")
    public void sell() {}
  }

  record MisreadTill(Misread shop) {}

  @Test
  void whatDoesNotFitStopsTheStartBeforeThereIsATarget() {
    refuses("FinalShop.sell()", FinalTill.class, FinalShop.class);
    refuses("Misread.sell()", MisreadTill.class, Misread.class);
  }

  private void refuses(String method, Class<?>... beans) {
    LockedMethodException refused = World.refusal(() -> world.start(beans));
    assertTrue(World.message(refused).contains(method), World.message(refused));
  }
}
