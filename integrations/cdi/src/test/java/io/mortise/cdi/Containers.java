package io.mortise.cdi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.function.Executable;

/** Containers whose locks are in a store in memory, with another process beside them. */
final class Containers {
  private Containers() {}

  /** The store of all tests, whose time stands still. Each test leaves it empty. */
  static final LockWorld WORLD = LockWorld.withMovableTime(Duration.ofSeconds(30));

  static final LockService ELSEWHERE = WORLD.anotherProcess();

  /** A Weld that finds the interceptor by itself, in the archive with META-INF/beans.xml. */
  static SeContainer weld(Class<?>... beans) {
    return SeContainerInitializer.newInstance().addBeanClasses(beans).initialize();
  }

  static boolean isFree(String name) {
    return !ELSEWHERE.getLock(name).isLocked();
  }

  static void assertNothingIsHeld() {
    assertEquals(List.of(), WORLD.holds());
  }

  /** Ends whatever hold there is, as an operator may do. */
  static void force(String name) {
    if (!ELSEWHERE.getLock(name).forceUnlock()) {
      throw new AssertionError(name + " was not held");
    }
  }

  /** Runs something while another process holds the lock. */
  static void whileHeldElsewhere(String name, Executable action) throws Throwable {
    ELSEWHERE.getLock(name).lock();
    try {
      action.execute();
    } finally {
      ELSEWHERE.getLock(name).unlock();
    }
  }

  static String message(Throwable thrown) {
    return String.valueOf(thrown.getMessage());
  }

  /** The producer of an application. */
  @ApplicationScoped
  static class Locks {
    @Produces
    @ApplicationScoped
    LockService locks() {
      return WORLD.service();
    }
  }

  /** A method that runs in a transaction. */
  @InterceptorBinding
  @Retention(RetentionPolicy.RUNTIME)
  @interface InTransaction {}

  /** A transaction with the priority that Jakarta Transactions demands. */
  @InTransaction
  @Interceptor
  @Priority(Interceptor.Priority.PLATFORM_BEFORE + 200)
  static class Transactions {
    static volatile String seen = "";

    @AroundInvoke
    @Nullable Object run(InvocationContext call) throws Exception {
      String begin = isFree("stock") ? "free" : "held";
      Object result = call.proceed();
      seen = begin + ", " + (isFree("stock") ? "free" : "held");
      return result;
    }
  }
}
