package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Methods whose parameters an interface or a superclass leaves open. */
class GenericMethodTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  private static void requireLock() {
    LockContext.ensureHeld("stock");
  }

  /** A type whose method is locked for all that implement it. */
  interface LockedSink<T> {
    @WithLock("stock")
    void take(T item);
  }

  static class Numbers implements LockedSink<Long> {
    @Override
    public void take(Long item) {
      requireLock();
    }
  }

  /** It knows nothing of the interface. */
  static class Texts {
    public void take(String item) {
      requireLock();
    }
  }

  static class LockedTexts extends Texts implements LockedSink<String> {}

  /** A type that leaves the lock to those that implement it. */
  interface Sink<T> {
    void take(T item);
  }

  static class OwnLock implements Sink<Long> {
    @Override
    @WithLock("stock")
    public void take(Long item) {
      requireLock();
    }
  }

  static class Open<T> {
    @WithLock("stock")
    public void take(T item) {
      requireLock();
    }
  }

  static class Closed extends Open<Long> {
    @Override
    public void take(Long item) {
      requireLock();
    }
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  static class ProxiesOfClasses {}

  @EnableTransactionManagement
  static class ProxiesOfInterfaces {}

  @Test
  void aGenericInterfaceLocksTheMethodThatImplementsIt() {
    world.start(Numbers.class, ProxiesOfClasses.class).take(1L);
    LockedSink<Long> sink = bean(LockedSink.class, Numbers.class);
    sink.take(1L);
  }

  @Test
  void aGenericInterfaceLocksTheMethodOfASuperclass() {
    LockedTexts texts = world.start(LockedTexts.class, ProxiesOfClasses.class);
    LockedSink<String> sink = texts;
    sink.take("a");
    Texts superclass = texts;
    superclass.take("b");
    LockedSink<String> proxy = bean(LockedSink.class, LockedTexts.class);
    proxy.take("c");
  }

  @Test
  void aMethodOfAGenericInterfaceIsLockedByItsClass() {
    world.start(OwnLock.class, ProxiesOfClasses.class).take(1L);
    Sink<Long> sink = bean(Sink.class, OwnLock.class);
    sink.take(1L);
  }

  @Test
  void aGenericSuperclassLocksTheMethodThatOverridesIt() {
    Open<Long> open = world.start(Closed.class, ProxiesOfClasses.class);
    open.take(1L);
    assertFalse(world.here.getLock("stock").isHeldByCurrentThread());
  }

  /** The bean as a proxy that has its interfaces alone. */
  @SuppressWarnings("unchecked")
  private <T> T bean(Class<? super T> as, Class<?> type) {
    return (T) world.start(new Class<?>[] {type, ProxiesOfInterfaces.class}).getBean(as);
  }
}
