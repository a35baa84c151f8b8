package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/** Objects in the place of a bean, whose class is not the one with the locked methods. */
class ReplacedBeanTest {
  private static final String STOCK = "stock";

  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  interface Selling<T> {
    void sell(T what);
  }

  interface LockedSelling<T> extends Selling<T> {
    @Override
    @WithLock(STOCK)
    void sell(T what);
  }

  static class Shop implements Selling<String> {
    @Override
    @WithLock(STOCK)
    public void sell(String what) {
      LockContext.ensureHeld(STOCK);
    }
  }

  static class LockedShop extends Shop implements LockedSelling<String> {}

  /** The same methods, and no annotation. */
  record Decorator(Selling<String> shop) implements Selling<String> {
    @Override
    public void sell(String what) {
      shop.sell(what);
    }
  }

  @SuppressWarnings("unchecked")
  private static Selling<String> proxy(Selling<String> shop) {
    Class<?> type = shop instanceof LockedSelling ? LockedSelling.class : Selling.class;
    return (Selling<String>)
        Proxy.newProxyInstance(
            Shop.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return method.invoke(shop, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  @SuppressWarnings("unchecked")
  private static Object replaced(Object bean, UnaryOperator<Selling<String>> by) {
    return bean instanceof Selling<?> shop ? by.apply((Selling<String>) shop) : bean;
  }

  static class BeforeInitialization implements BeanPostProcessor {
    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
      return replaced(bean, ReplacedBeanTest::proxy);
    }
  }

  static class BeforeTheProxies implements BeanPostProcessor, PriorityOrdered {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return replaced(bean, ReplacedBeanTest::proxy);
    }

    @Override
    public int getOrder() {
      return 0;
    }
  }

  static class DecoratesBeforeTheProxies extends BeforeTheProxies {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return replaced(bean, Decorator::new);
    }
  }

  @SuppressWarnings("unchecked")
  static class MocksBeforeTheProxies extends BeforeTheProxies {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return replaced(bean, shop -> mock(Selling.class));
    }
  }

  static class AfterTheProxies implements BeanPostProcessor, Ordered {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return replaced(bean, ReplacedBeanTest::proxy);
    }

    @Override
    public int getOrder() {
      return HIGHEST_PRECEDENCE + 2;
    }
  }

  private LockedMethodException refusal(Class<?>... beans) {
    BeanCreationException failed =
        assertThrows(BeanCreationException.class, () -> world.start(beans));
    return (LockedMethodException) failed.getMostSpecificCause();
  }

  private void refuses(Class<?> processor, String substitute) {
    String message = World.message(refusal(Shop.class, processor));
    assertTrue(message.contains("'replacedBeanTest.Shop'"), message);
    assertTrue(message.contains("Shop.sell(String)") && message.contains(substitute), message);
  }

  @Test
  void aBeanThatIsReplacedBeforeSpringsProxiesAreMadeIsRefused() {
    refuses(BeforeInitialization.class, "$Proxy");
    refuses(BeforeTheProxies.class, "$Proxy");
    refuses(DecoratesBeforeTheProxies.class, Decorator.class.getName());
  }

  @Configuration(proxyBeanMethods = false)
  static class WithPrototype {
    @Bean
    @Scope("prototype")
    Selling<String> shop() {
      return new Shop();
    }
  }

  @Test
  void aPrototypeThatIsReplacedIsRefusedWhenItIsMade() {
    var context = world.start(new Class<?>[] {WithPrototype.class, BeforeTheProxies.class});
    for (int i = 0; i < 2; i++) {
      BeanCreationException failed =
          assertThrows(BeanCreationException.class, () -> context.getBean("shop"));
      assertEquals(LockedMethodException.class, failed.getMostSpecificCause().getClass());
    }
  }

  @Test
  void aWrapperOfSpringsProxyIsFine() {
    var context = world.start(new Class<?>[] {Shop.class, AfterTheProxies.class});
    sell(context.getBean(Selling.class));
    assertTrue(world.isFree(STOCK));
  }

  @Test
  void anAnnotationOnTheInterfaceIsSeenThroughEveryProxy() {
    var context = world.start(new Class<?>[] {LockedShop.class, BeforeTheProxies.class});
    sell(context.getBean(Selling.class));
    assertTrue(world.isFree(STOCK));
  }

  @Test
  void aMockInThePlaceOfABeanRunsNothing() {
    var context = world.start(new Class<?>[] {Shop.class, MocksBeforeTheProxies.class});
    sell(context.getBean(Selling.class));
    assertTrue(world.isFree(STOCK));
  }

  @SuppressWarnings("unchecked")
  private static void sell(Selling<?> shop) {
    ((Selling<String>) shop).sell("book");
  }

  @Configuration(proxyBeanMethods = false)
  static class WithProxyOfSpring {
    @Bean
    @SuppressWarnings("unchecked")
    Selling<String> shop() {
      return (Selling<String>) new ProxyFactory(new Shop()).getProxy();
    }
  }

  @Test
  void aProxyOfSpringThatABeanMethodMakesWithoutTheLockIsRefused() {
    LockedMethodException refused = refusal(WithProxyOfSpring.class);
    assertTrue(World.message(refused).contains("Shop.sell(String)"), World.message(refused));
  }

  @Configuration(proxyBeanMethods = false)
  static class WithHiddenShop {
    @Bean
    Selling<String> shop() {
      return proxy(new Shop());
    }
  }

  /** What docs/spring.md says of it: only the method itself can notice. */
  @Test
  void nobodySeesTheClassBehindAProxyOfTheJdkThatABeanMethodMakes() {
    Selling<?> shop = world.start(WithHiddenShop.class).getBean(Selling.class);
    IllegalStateException refused = assertThrows(IllegalStateException.class, () -> sell(shop));
    assertTrue(World.message(refused).contains(STOCK), World.message(refused));
  }
}
