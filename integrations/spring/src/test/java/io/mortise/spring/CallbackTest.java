package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

/** A locked method that the container calls past the proxy stops the start. */
class CallbackTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  private void refuses(Class<?> bean, String... texts) {
    world.refuses(bean, texts);
  }

  static class AnnotatedCallback {
    @PostConstruct
    @WithLock("a")
    public void init() {
      throw new AssertionError("it runs without its lock");
    }
  }

  static class CallbackOfAnInterface implements InitializingBean {
    @Override
    @WithLock("a")
    public void afterPropertiesSet() {
      throw new AssertionError("it runs without its lock");
    }
  }

  static class NamedCallback {
    @WithLock("a")
    public void begin() {
      throw new AssertionError("it runs without its lock");
    }
  }

  @Configuration
  static class WithNamedCallback {
    @Bean(initMethod = "begin")
    NamedCallback named() {
      return new NamedCallback();
    }
  }

  @Test
  void aCallbackThatTheContainerCallsPastTheProxy() {
    refuses(AnnotatedCallback.class, "AnnotatedCallback.init()", "container", "LockTemplate");
    refuses(CallbackOfAnInterface.class, "CallbackOfAnInterface.afterPropertiesSet()");
    refuses(WithNamedCallback.class, "'named'", "NamedCallback.begin()");
  }

  static class LegacyCallback {
    @javax.annotation.PostConstruct
    @WithLock("a")
    public void init() {
      throw new AssertionError("it runs without its lock");
    }
  }

  @Test
  void aCallbackWithTheOldAnnotation() {
    refuses(LegacyCallback.class, "LegacyCallback.init()");
  }

  static class Closed implements AutoCloseable {
    int runs;

    @Override
    @WithLock("a")
    public void close() {
      LockContext.ensureHeld("a");
      runs++;
    }
  }

  static class ShutDown {
    @WithLock("a")
    public void shutdown() {
      LockContext.ensureHeld("a");
    }

    @WithLock("a")
    public void stop(boolean now) {
      LockContext.ensureHeld("a");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithShutdown {
    @Bean
    ShutDown server() {
      return new ShutDown();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithStop {
    @Bean(destroyMethod = "stop")
    ShutDown server() {
      return new ShutDown();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithWideType {
    @Bean
    Object server() {
      return new Closed();
    }
  }

  @Test
  void theEndThatSpringFindsByItself() {
    refuses(Closed.class, "'callbackTest.Closed'", "Closed.close()", "container");
  }

  @Test
  void theEndThatSpringFindsForABeanMethod() {
    refuses(WithShutdown.class, "'server'", "ShutDown.shutdown()");
  }

  @Test
  void anEndThatIsToldWhetherItMayInterrupt() {
    refuses(WithStop.class, "'server'", "ShutDown.stop(boolean)");
  }

  @Test
  void anEndOfAnObjectWhoseBeanMethodDeclaresLess() {
    refuses(WithWideType.class, "'server'", "Closed.close()");
  }

  @Configuration(proxyBeanMethods = false)
  static class WithoutEnd {
    @Bean(destroyMethod = "")
    Closed one() {
      return new Closed();
    }

    @Bean
    @Scope("prototype")
    Closed each() {
      return new Closed();
    }
  }

  @Test
  void aMethodThatTheContainerDoesNotCallAtTheEndIsLocked() {
    var context = world.start(WithoutEnd.class);
    for (String name : new String[] {"one", "each"}) {
      Closed closed = context.getBean(name, Closed.class);
      closed.close();
      assertEquals(1, World.target(closed, Closed.class).runs);
    }
  }
}
