package io.mortise.spring.boot;

import io.mortise.LockService;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock service that is opened at its first use. An opening that fails is tried again. The
 * questions what is held and waited for do not open it: gauges ask them all the time.
 */
final class OpenedAtFirstUse implements InvocationHandler {
  private static final Set<String> QUESTIONS = Set.of("holds", "waits");

  private final Supplier<LockService> opener;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable LockService service;
  private volatile boolean closed;

  private OpenedAtFirstUse(Supplier<LockService> opener) {
    this.opener = opener;
  }

  static LockService serviceOf(Supplier<LockService> opener) {
    return (LockService)
        Proxy.newProxyInstance(
            LockService.class.getClassLoader(),
            new Class<?>[] {LockService.class},
            new OpenedAtFirstUse(opener));
  }

  /** Whether the service has been opened. Any other service has been. */
  static boolean isOpen(LockService service) {
    return !Proxy.isProxyClass(service.getClass())
        || !(Proxy.getInvocationHandler(service) instanceof OpenedAtFirstUse lazy)
        || lazy.service != null;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) {
      return ofObject(proxy, method, arguments);
    }
    if (method.getName().equals("close") && isUnused()) {
      return method.getParameterCount() == 0 ? null : true;
    }
    if (QUESTIONS.contains(method.getName()) && service == null) {
      return List.of();
    }
    try {
      return method.invoke(opened(), arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private @Nullable Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && isThis(arguments[0]);
      case "hashCode" -> System.identityHashCode(proxy);
      default -> service == null ? "LockService[opened at first use]" : service + "";
    };
  }

  private boolean isThis(@Nullable Object other) {
    return other != null
        && Proxy.isProxyClass(other.getClass())
        && Proxy.getInvocationHandler(other).equals(this);
  }

  /** Whether it was never opened. It is closed then. */
  private boolean isUnused() {
    opening.lock();
    try {
      closed |= service == null;
      return service == null;
    } finally {
      opening.unlock();
    }
  }

  private LockService opened() {
    LockService now = service;
    if (now != null) {
      return now;
    }
    opening.lock();
    try {
      LockService other = service;
      if (other != null) {
        return other;
      }
      if (closed) {
        throw new IllegalStateException(
            "the lock service was closed before its first use: the application is closing");
      }
      LockService opened = opener.get();
      service = opened;
      return opened;
    } finally {
      opening.unlock();
    }
  }
}
