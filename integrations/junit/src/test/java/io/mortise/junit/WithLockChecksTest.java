package io.mortise.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.spring.ScheduledLock;
import io.mortise.spring.WithLock;
import io.mortise.spring.WithLockConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An object that calls its own locked method is found in its class file. */
class WithLockChecksTest {
  /** Every call passes the proxy, or is of another method. */
  @SuppressWarnings({"unused", "UnusedVariable", "FieldCanBeStatic"})
  static class Clean {
    private Clean self;
    private final long[] numbers = {1, 2};

    Clean(Clean self) {
      this.self = self;
    }

    @WithLock("stock")
    public long sell(long id, String text) {
      return this.unlocked(id, text);
    }

    public long unlocked(long id, String text) {
      return id;
    }

    public long through(Clean other, int count) {
      Runnable later = () -> self.sell(1, "");
      Supplier<String> reference = other::toString;
      Callable<Long> bean = () -> other.sell(numbers[0]++, count > 1 ? "many" : "one");
      for (int i = 0; i < count; i++) {
        switch (i) {
          case 0 -> self.sell(i, this.toString());
          case 1 -> unlocked(self.sell(i, text(this)), "");
          default -> throw new IllegalStateException("" + this);
        }
      }
      try {
        synchronized (this) {
          return (count > 0 ? self : other).sell(count + 1L, text(this));
        }
      } finally {
        self = other;
        self.sell(2, "");
      }
    }

    private static String text(Object object) {
      return object instanceof Clean ? "clean" : String.valueOf(object);
    }

    public long inner() {
      return new Object() {
        long sell() {
          return self.sell(1, "");
        }
      }.sell();
    }
  }

  @Test
  void callsThatPassTheProxyAreNone() {
    WithLockChecks.assertNoSelfCalls(Clean.class, String.class, Callable.class);
  }

  static class Locked {
    @WithLock("stock")
    public long sell(long id, String text) {
      return id;
    }

    @ScheduledLock(name = "report")
    public void report() {}
  }

  static class Direct extends Locked {
    public void plain() {
      report();
    }
  }

  static class WithArguments extends Locked {
    private final long[] numbers = {1};

    public long total(boolean many) {
      return 1 + sell(numbers[0] += many ? 2 : 3, many ? "many" : text("one", 2.0));
    }

    private static String text(String text, double number) {
      return text + number;
    }
  }

  static class InALambda extends Locked {
    public Callable<Long> later(String text) {
      return () -> sell(1, text);
    }
  }

  static class InNestedLambdas extends Locked {
    public Supplier<Runnable> later() {
      return () -> () -> report();
    }
  }

  static class AsAReference extends Locked {
    public Runnable later() {
      return this::report;
    }
  }

  static class InAnInnerClass extends Locked {
    public List<Runnable> later() {
      return List.of(
          new Runnable() {
            @Override
            public void run() {
              new Thread() {
                @Override
                public void run() {
                  report();
                }
              }.start();
            }
          });
    }
  }

  static class ThroughAVariable extends Locked {
    public void copied(Locked other) {
      Locked either = other == null ? this : other;
      either.report();
    }
  }

  static class AfterAnException extends Locked {
    public void again() {
      try {
        Thread.onSpinWait();
      } catch (IllegalStateException e) {
        report();
      }
    }
  }

  static class ASuperclass {
    public void work() {
      locked();
    }

    public void locked() {}
  }

  static class LockedLater extends ASuperclass {
    @Override
    @WithLock("stock")
    public void locked() {
      super.locked();
    }
  }

  interface WithDefault {
    @WithLock("stock")
    void locked();

    default void work() {
      locked();
    }
  }

  static class OfAnInterface implements WithDefault {
    @Override
    public void locked() {}
  }

  abstract static class Generic<T> {
    public abstract void handle(T item);

    public void run(T item) {
      handle(item);
    }
  }

  static class ThroughABridge extends Generic<String> {
    @Override
    @WithLock("stock")
    public void handle(String item) {}
  }

  interface GenericDefault<T> {
    T handle(T item);

    default T all(T item) {
      return handle(item);
    }
  }

  static class OfAGenericInterface implements GenericDefault<String> {
    @Override
    @WithLock("stock")
    public String handle(String item) {
      return item;
    }
  }

  static class ThroughTwoBridges extends ThroughABridge implements GenericDefault2<String> {
    @Override
    @WithLock("stock")
    public void handle(String item) {
      super.handle(item);
    }
  }

  interface GenericDefault2<T extends Comparable<T>> {
    void handle(T item);

    default Runnable later(T item) {
      return () -> handle(item);
    }
  }

  abstract static class Covariant {
    public abstract Object make();

    public Object twice() {
      return make();
    }
  }

  static class WithCovariantResult extends Covariant {
    @Override
    @WithLock("stock")
    public String make() {
      return "";
    }
  }

  static class GenericBase<T> {
    public void handle(T item) {}
  }

  /** Its bridge, and super.handle, are part of the locked call. */
  static class CallsItsSuper extends GenericBase<String> {
    @Override
    @WithLock("stock")
    public void handle(String item) {
      super.handle(item);
    }
  }

  static class InAConstructor extends Locked {
    class Inner {
      Inner(long count) {
        sell(count, "");
      }
    }

    class Sub extends Inner {
      Sub() {
        super(1);
      }
    }

    public void work() {
      new Sub();
    }
  }

  static class InAnInitializer extends Locked {
    public Object work(long count) {
      return new Object() {
        {
          sell(count, "");
        }
      };
    }
  }

  /** The classes inside have no object around them. */
  static class WithoutAnObjectAround extends Locked {
    static Object work(WithoutAnObjectAround other) {
      record Local(WithoutAnObjectAround bean) {
        Local {
          bean.report();
        }
      }

      return new Object() {
        {
          new Local(other).bean().report();
          other.report();
        }
      };
    }

    static class Nested {
      Nested(WithoutAnObjectAround other) {
        other.report();
      }
    }
  }

  @Test
  void aLockedMethodIsFoundByTheDescriptorsOfItsBridgesToo() {
    finds(ThroughABridge.class, "Generic.run", "Generic.handle");
    finds(OfAGenericInterface.class, "GenericDefault.all", "GenericDefault.handle");
    finds(WithCovariantResult.class, "Covariant.twice", "Covariant.make");
    WithLockChecks.assertNoSelfCalls(CallsItsSuper.class);
    String both =
        String.valueOf(
            assertThrows(
                    AssertionError.class,
                    () -> WithLockChecks.assertNoSelfCalls(ThroughTwoBridges.class))
                .getMessage());
    assertTrue(both.contains("Generic.run"), both);
    assertTrue(both.contains("GenericDefault2.later"), both);
    assertEquals(3, both.split(" of its own object", -1).length, both);
  }

  @Test
  void aConstructorOfAnInnerClassHasTheObjectAroundIt() {
    finds(InAConstructor.class, "InAConstructor$Inner.<init>", "InAConstructor.sell");
    finds(InAnInitializer.class, "InAnInitializer$1.<init>", "InAnInitializer.sell");
    WithLockChecks.assertNoSelfCalls(WithoutAnObjectAround.class);
  }

  @Test
  void aCallOfTheObjectsOwnLockedMethodIsFound() {
    finds(Direct.class, "Direct.plain (line ", "Direct.report of its own object");
    finds(WithArguments.class, "WithArguments.total", "WithArguments.sell");
    finds(InALambda.class, "InALambda.later", "InALambda.sell");
    finds(InNestedLambdas.class, "InNestedLambdas.later", "InNestedLambdas.report");
    finds(AsAReference.class, "AsAReference.later", "report");
    finds(InAnInnerClass.class, "InAnInnerClass$1$1.run", "InAnInnerClass.report");
    finds(ThroughAVariable.class, "ThroughAVariable.copied", "Locked.report");
    finds(AfterAnException.class, "AfterAnException.again", "AfterAnException.report");
    finds(LockedLater.class, "ASuperclass.work", "ASuperclass.locked");
    finds(OfAnInterface.class, "WithDefault.work", "WithDefault.locked");
  }

  private static void finds(Class<?> type, String caller, String callee) {
    var failed =
        assertThrows(
            AssertionError.class, () -> WithLockChecks.assertNoSelfCalls(Clean.class, type));
    String text = String.valueOf(failed.getMessage());
    assertTrue(text.contains(caller), text);
    assertTrue(text.contains(callee), text);
    assertTrue(text.contains("LockTemplate"), text);
    assertFalse(text.contains("Clean"), text);
    assertEquals(2, text.split(" of its own object", -1).length);
  }

  @Test
  void theClassOfAProxyIsThatOfItsBean() {
    try (LockWorld world = LockWorld.withMovableTime(Duration.ofSeconds(30));
        var context = new AnnotationConfigApplicationContext()) {
      context.register(WithLockConfiguration.class, Direct.class);
      context.registerBean(LockService.class, world::service);
      context.refresh();
      Class<?> proxy = context.getBean(Direct.class).getClass();
      assertNotEquals(Direct.class, proxy);
      assertThrows(AssertionError.class, () -> WithLockChecks.assertNoSelfCalls(proxy));
    }
  }
}
