package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;

import io.mortise.LockService;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

/** Beans that stand for another object: mocks, proxies and what a factory bean makes. */
class SubstituteTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Shop {
    @WithLock("stock")
    public void sell() {
      LockContext.ensureHeld("stock");
    }
  }

  interface Restocking {
    @WithLock("restock")
    void restock();
  }

  /** As a test does with {@code @MockitoBean}. */
  private AnnotationConfigApplicationContext register(Object bean) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(WithLockConfiguration.class);
    context.registerBean(LockService.class, () -> world.here);
    context.getBeanFactory().registerSingleton("substitute", bean);
    context.refresh();
    return context;
  }

  private static Restocking proxy(Runnable restock) {
    return (Restocking)
        Proxy.newProxyInstance(
            SubstituteTest.class.getClassLoader(),
            new Class<?>[] {Restocking.class},
            (proxy, method, arguments) -> {
              restock.run();
              return null;
            });
  }

  @Test
  void aMockStartsAndRunsNothing() {
    try (var context = register(mock(Shop.class))) {
      Shop shop = context.getBean(Shop.class);
      shop.sell();
      verify(shop).sell();
    }
    register(mock(Restocking.class)).close();
  }

  @Test
  void aMockThatCallsRealMethodsIsRefused() {
    refuses(() -> register(spy(new Shop())));
    refuses(() -> register(mock(Shop.class, CALLS_REAL_METHODS)));
  }

  @Test
  void aProxyOfTheJdkThatWasRegisteredAsItIsIsRefused() {
    refuses(() -> register(proxy(() -> {})));
  }

  private static void refuses(Runnable start) {
    var refused = assertThrows(LockedMethodException.class, start::run);
    assertTrue(World.message(refused).contains("'substitute'"), World.message(refused));
  }

  @Configuration(proxyBeanMethods = false)
  static class WithProxy {
    final AtomicInteger runs = new AtomicInteger();

    @Bean
    Restocking restocking() {
      return proxy(() -> {
        LockContext.ensureHeld("restock");
        runs.incrementAndGet();
      });
    }
  }

  @Test
  void aProxyOfTheJdkThatIsMadeByTheContextIsLocked() {
    var context = world.start(WithProxy.class);
    context.getBean(Restocking.class).restock();
    assertEquals(1, context.getBean(WithProxy.class).runs.get());
  }

  static class ShopFactory implements FactoryBean<Object> {
    @Override
    public Object getObject() {
      return new Shop();
    }

    @Override
    public Class<?> getObjectType() {
      return Object.class;
    }
  }

  record Early(Object shop) implements BeanPostProcessor, PriorityOrdered {
    @Override
    public int getOrder() {
      return 0;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class MadeTooEarly {
    @Bean
    static ShopFactory shop() {
      return new ShopFactory();
    }

    @Bean
    static Early early(@Qualifier("shop") Object shop) {
      return new Early(shop);
    }
  }

  @Test
  void aProductThatAFactoryBeanMadeTooEarlyIsRefused() {
    var refused = assertThrows(LockedMethodException.class, () -> world.start(MadeTooEarly.class));
    assertTrue(World.message(refused).contains("'shop'"), World.message(refused));
  }

  @Configuration(proxyBeanMethods = false)
  static class MadeInTime {
    @Bean
    ShopFactory shop() {
      return new ShopFactory();
    }
  }

  @Test
  void aProductOfAFactoryBeanIsLocked() {
    ((Shop) world.start(MadeInTime.class).getBean("shop")).sell();
  }
}
