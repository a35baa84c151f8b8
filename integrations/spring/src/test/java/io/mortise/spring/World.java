package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.function.Executable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;

/** A store in memory, a context whose locks are in it, and another process. */
final class World implements AutoCloseable {
  final InMemoryStore store = InMemoryStore.withMovableTime();
  final LockService here;
  final LockService elsewhere = LockService.of(store.backend());
  volatile boolean down;
  private final Deque<AnnotationConfigApplicationContext> open = new ArrayDeque<>();

  World() {
    here = LockService.of(new Fallible(store.backend()));
  }

  /** A context with the given beans and configurations. */
  AnnotationConfigApplicationContext start(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(WithLockConfiguration.class);
    context.register(beans);
    context.registerBean(
        PropertySourcesPlaceholderConfigurer.class, PropertySourcesPlaceholderConfigurer::new);
    context.registerBean("locks", LockService.class, () -> here);
    open.push(context);
    context.refresh();
    return context;
  }

  /** A bean of a context. */
  <T> T start(Class<T> type, Class<?> more) {
    return start(new Class<?>[] {type, more}).getBean(type);
  }

  /** Runs something while another process holds the lock. */
  void whileHeldElsewhere(String name, Executable action) throws Throwable {
    elsewhere.getLock(name).lock();
    try {
      action.execute();
    } finally {
      elsewhere.getLock(name).unlock();
    }
  }

  /** Ends whatever hold there is, as an operator may do. */
  void force(String name) {
    if (!elsewhere.getLock(name).forceUnlock()) {
      throw new AssertionError(name + " was not held");
    }
  }

  /** The object behind a proxy. */
  static <T> T target(T proxy, Class<T> type) {
    return type.cast(Objects.requireNonNull(AopProxyUtils.getSingletonTarget(proxy)));
  }

  /** The object with another answer to one method. */
  static <T> T with(Class<T> type, T object, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) ->
                called.getName().equals(method) ? answer : called.invoke(object, arguments)));
  }

  /** The start with that bean stops, and the message has these texts and a next step. */
  void refuses(Class<?> bean, String... texts) {
    LockedMethodException refused = refusal(() -> start(bean));
    for (String text : texts) {
      assertTrue(message(refused).contains(text), message(refused));
    }
    assertTrue(!refused.problem().isBlank() && !refused.nextStep().isBlank());
  }

  /** Why the start stops. */
  static LockedMethodException refusal(Runnable start) {
    try {
      start.run();
    } catch (RuntimeException e) {
      for (Throwable each = e; each != null; each = each.getCause()) {
        if (each instanceof LockedMethodException refused) {
          return refused;
        }
      }
      throw e;
    }
    return fail("it started");
  }

  static String message(Throwable thrown) {
    return String.valueOf(thrown.getMessage());
  }

  boolean isFree(String name) {
    return !elsewhere.getLock(name).isLocked();
  }

  @Override
  public void close() {
    down = false;
    while (!open.isEmpty()) {
      open.pop().close();
    }
    here.close();
    elsewhere.close();
  }

  /** Refuses every call while the store is down. */
  private final class Fallible extends ForwardingBackend {
    private final LockBackend target;

    Fallible(LockBackend target) {
      this.target = target;
    }

    @Override
    protected LockBackend target() {
      return target;
    }

    private BackendException refused() {
      return new BackendException(Outcome.NOT_EXECUTED, "memory: the store is down", null);
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      if (down) {
        throw refused();
      }
      return super.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return down ? CompletableFuture.failedFuture(refused()) : super.executeAsync(call);
    }
  }
}
