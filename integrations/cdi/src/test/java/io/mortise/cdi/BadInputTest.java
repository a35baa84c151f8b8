package io.mortise.cdi;

import static io.mortise.cdi.Containers.WORLD;
import static io.mortise.cdi.Containers.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.cdi.WithLock.Kind;
import io.mortise.cdi.WithLock.OnLost;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.StreamingOutput;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What does not fit is told at the first call, with method and next step. Nothing runs. */
class BadInputTest {
  private static int runs;

  @Singleton
  static class Bad {
    @WithLock
    public void noName() {
      runs++;
    }

    @WithLock(" ")
    public void blankName() {
      runs++;
    }

    @WithLock(names = {"a", ""})
    public void blankAmongSeveral() {
      runs++;
    }

    @WithLock(value = "a", name = "b")
    public void twoNames() {
      runs++;
    }

    @WithLock(name = "a", names = "b")
    public void nameAndNames() {
      runs++;
    }

    @WithLock(
        names = {"a", "b"},
        kind = Kind.FENCED)
    public void severalTokens() {
      runs++;
    }

    @WithLock("a:{typo}")
    public void unknown(long id) {
      runs++;
    }

    @WithLock("a:{1}")
    public void tooFar(long id) {
      runs++;
    }

    @WithLock("a:{0}")
    public void noParameters() {
      runs++;
    }

    @WithLock("a:{}")
    public void emptyBraces(long id) {
      runs++;
    }

    @WithLock("a:{id.length}")
    public void property(long id) {
      runs++;
    }

    @WithLock("a:{id")
    public void openBrace(long id) {
      runs++;
    }

    @WithLock("a:id}")
    public void closedBrace(long id) {
      runs++;
    }

    @WithLock("a:#id")
    public void spring(long id) {
      runs++;
    }

    @WithLock("a:#{#id}")
    public void springToo(long id) {
      runs++;
    }

    @WithLock("${shop}:a")
    public void propertyOfSpring() {
      runs++;
    }

    @WithLock(name = "a", waitFor = "5")
    public void noUnit() {
      runs++;
    }

    @WithLock(name = "a", waitFor = "-5s")
    public void negative() {
      runs++;
    }

    @WithLock(name = "a", waitFor = "PT-5S")
    public void negativeToo() {
      runs++;
    }

    @WithLock(name = "a", lease = "0")
    public void noLease() {
      runs++;
    }

    @WithLock(name = "a", maxHold = "999999999999999999d")
    public void tooLong() {
      runs++;
    }

    @WithLock(name = "a", lease = "1s", maxHold = "1m")
    public void twoTimes() {
      runs++;
    }

    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    public int skipped() {
      return ++runs;
    }

    @WithLock("a")
    public @Nullable Future<String> future() {
      runs++;
      return null;
    }

    @WithLock("a")
    public @Nullable Callable<String> callable() {
      runs++;
      return null;
    }

    @WithLock("a")
    public Flow.@Nullable Publisher<String> publisher() {
      runs++;
      return null;
    }

    @WithLock("a")
    public @Nullable StreamingOutput streaming() {
      runs++;
      return null;
    }

    @WithLock(name = "a", onLost = OnLost.INTERRUPT)
    public @Nullable CompletableFuture<String> interrupted() {
      runs++;
      return null;
    }

    @WithLock(name = "a", atLeast = "1s")
    public @Nullable CompletableFuture<String> rested() {
      runs++;
      return null;
    }

    @WithLock(name = "a", service = "missing")
    public void otherService() {
      runs++;
    }

    @WithLock("a")
    @SuppressWarnings("FutureReturnValueIgnored") // as a careless method does
    public Object hidesAFuture() {
      return new CompletableFuture<String>();
    }
  }

  @Singleton
  @WithLock("a")
  static class WholeClass {
    public void work() {
      runs++;
    }
  }

  @Singleton
  static class Good {
    @WithLock("a")
    public void work() {
      runs++;
    }

    @WithLock(name = "a", service = "second")
    public void second() {
      LockContext.ensureHeld("a");
      runs++;
    }
  }

  static class FinalMethod {
    @WithLock("a")
    public final void work() {
      runs++;
    }
  }

  static class TwoServices {
    @Produces
    @Singleton
    @Named("first")
    LockService first() {
      return WORLD.service();
    }

    @Produces
    @ApplicationScoped
    @Named("second")
    LockService second() {
      return WORLD.service();
    }
  }

  static class WithoutScope {
    @Produces
    LockService open() {
      throw new AssertionError("it is opened at each call");
    }
  }

  private static SeContainer container;

  @BeforeAll
  static void start() {
    container = Containers.weld(Bad.class, WholeClass.class, Containers.Locks.class);
  }

  @AfterAll
  static void stop() {
    container.close();
  }

  @AfterEach
  void nothingIsHeld() {
    Containers.assertNothingIsHeld();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "noName; blank lock name",
        "blankName; blank lock name",
        "blankAmongSeveral; blank lock name",
        "twoNames; a value and a name",
        "nameAndNames; a name and names",
        "severalTokens; no common fencing token",
        "unknown; {typo} in its lock name \"a:{typo}\"|they are [id]",
        "tooFar; {1} in its lock name|they are [id]",
        "noParameters; no parameters|without braces",
        "emptyBraces; no such parameter",
        "property; no such parameter",
        "openBrace; braces do not match",
        "closedBrace; braces do not match",
        "spring; share one lock|Write {id}",
        "springToo; {#id}|they are [id]",
        "propertyOfSpring; {shop}|no parameters",
        "noUnit; waitFor = \"5\"|5s",
        "negative; waitFor = \"-5s\"",
        "negativeToo; waitFor = \"PT-5S\"",
        "noLease; not between 10 ms",
        "tooLong; maxHold|no time",
        "twoTimes; a lease and a maxHold",
        "skipped; returns int|Optional",
        "future; returns a Future|CompletableFuture",
        "callable; returns a Callable",
        "publisher; returns a Publisher",
        "streaming; returns a StreamingOutput",
        "interrupted; INTERRUPT cannot stop",
        "rested; atLeast",
        "otherService; @Named(\"missing\")|@ApplicationScoped",
      })
  void anAnnotationThatDoesNotFit(String name, String texts) {
    runs = 0;
    Bad bad = container.select(Bad.class).get();
    Method method =
        Arrays.stream(Bad.class.getDeclaredMethods())
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow();
    Object[] arguments = method.getParameterCount() == 0 ? new Object[0] : new Object[] {1L};
    for (int i = 0; i < 2; i++) { // what was refused once is not remembered as right
      var thrown =
          assertThrows(InvocationTargetException.class, () -> method.invoke(bad, arguments));
      Throwable refused = Objects.requireNonNull(thrown.getCause());
      String said = message(refused);
      assertEquals(LockedMethodException.class, refused.getClass(), said);
      assertTrue(said.contains("Bad." + name), said);
      for (String each : texts.split("\\|", -1)) {
        assertTrue(said.contains(each), said);
      }
    }
    assertEquals(0, runs);
  }

  @Test
  void aResultThatHidesAFutureIsRefusedAndReleases() {
    Bad bad = container.select(Bad.class).get();
    var refused = assertThrows(IllegalStateException.class, bad::hidesAFuture);
    assertTrue(message(refused).contains("CompletableFuture"), message(refused));
  }

  @Test
  void anAnnotationOfAWholeClassIsRefused() {
    runs = 0;
    WholeClass whole = container.select(WholeClass.class).get();
    var refused = assertThrows(LockedMethodException.class, whole::work);
    assertTrue(refused.problem().contains("WholeClass.work()"), refused.problem());
    assertTrue(refused.nextStep().contains("on the method"), refused.nextStep());
    assertEquals(0, runs);
  }

  @Test
  void aFinalMethodStopsTheDeployment() {
    var refused =
        assertThrows(
            DeploymentException.class,
            () -> Containers.weld(FinalMethod.class, Containers.Locks.class));
    assertTrue(message(refused).contains("FinalMethod"), message(refused));
  }

  @Test
  void aServiceIsFoundByItsNameOrRefused() {
    runs = 0;
    try (SeContainer none = Containers.weld(Good.class)) {
      refuses(none, "needs the lock service", "Write a producer");
    }
    try (SeContainer several = Containers.weld(Good.class, TwoServices.class)) {
      refuses(several, "several", "service = ");
      several.select(Good.class).get().second();
    }
    assertEquals(1, runs);
    try (SeContainer opensMany = Containers.weld(Good.class, WithoutScope.class)) {
      refuses(opensMany, "no scope", "@ApplicationScoped");
    }
    assertEquals(1, runs);
  }

  private static void refuses(SeContainer container, String problem, String nextStep) {
    Good good = container.select(Good.class).get();
    var refused = assertThrows(LockedMethodException.class, good::work);
    assertTrue(refused.problem().contains(problem), refused.problem());
    assertTrue(refused.nextStep().contains(nextStep), refused.nextStep());
  }
}
