package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.OnLost;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.PriorityOrdered;

/** What would run without its lock stops the start, with bean, method and next step. */
class BadInputTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  private void refuses(Class<?> bean, String... texts) {
    world.refuses(bean, texts);
  }

  static class PrivateMethod {
    @SuppressWarnings("UnusedMethod")
    @WithLock("a")
    private void hidden() {}
  }

  static class StaticMethod {
    @WithLock("a")
    public static void everywhere() {}
  }

  static class FinalMethod {
    @WithLock("a")
    public final void fixed() {}
  }

  @Test
  void aMethodThatNoProxyCanIntercept() {
    refuses(
        PrivateMethod.class,
        "'badInputTest.PrivateMethod'",
        "PrivateMethod.hidden()",
        "private",
        "public");
    refuses(StaticMethod.class, "StaticMethod.everywhere()", "static");
    refuses(FinalMethod.class, "FinalMethod.fixed()", "final");
  }

  static class SkipsAValue {
    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    public int value() {
      return 1;
    }
  }

  static class SkipsWhatItMay {
    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    public void nothing() {}

    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    public Optional<String> optional() {
      return Optional.empty();
    }

    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    public CompletableFuture<String> stage() {
      return CompletableFuture.completedFuture("");
    }
  }

  @Test
  void aSkippedMethodWithoutAResultToGive() {
    refuses(SkipsAValue.class, "SkipsAValue.value()", "int", "Optional");
    world.start(SkipsWhatItMay.class);
  }

  static class FutureResult {
    @WithLock("a")
    public Future<String> future() {
      return CompletableFuture.completedFuture("");
    }
  }

  static class LateResult {
    @WithLock("a")
    public Callable<String> late() {
      return () -> "";
    }
  }

  static class InterruptedStage {
    @WithLock(name = "a", onLost = OnLost.INTERRUPT)
    public CompletableFuture<String> stage() {
      return CompletableFuture.completedFuture("");
    }
  }

  @Test
  void aMethodWhoseWorkGoesOn() {
    refuses(FutureResult.class, "FutureResult.future()", "CompletableFuture");
    refuses(LateResult.class, "LateResult.late()", "Callable");
    refuses(InterruptedStage.class, "InterruptedStage.stage()", "INTERRUPT");
  }

  static class BlankName {
    @WithLock(" ")
    public void work() {}
  }

  static class MissingProperty {
    @WithLock("${not.there}")
    public void work() {}
  }

  static class BrokenExpression {
    @WithLock("a:#{#id")
    public void work(long id) {}
  }

  static class ForgottenBraces {
    @WithLock("a:#id")
    public void work(long id) {}
  }

  static class ForgottenBracesAroundAnIndex {
    @WithLock("a:#p0")
    public void work(long id) {}
  }

  static class WholeExpressionWithoutBraces {
    @WithLock("'a:' + #typo")
    public void work(long id) {}
  }

  static class UnknownVariable {
    @WithLock("a:#{#typo}")
    public void work(long id) {}
  }

  static class UnknownVariableInside {
    @WithLock("a:#{#id > 0 ? {#id, #typo.length()}[0] : 'b'}")
    public void work(long id) {}
  }

  static class UnknownIndex {
    @WithLock("a:#{#p1}")
    public void work(long id) {}
  }

  static class JoinedText {
    @WithLock("#{'a:' + #id}")
    public void work(Long id) {}
  }

  static class KnownVariables {
    @WithLock("a:#{#p0 + 1}:#{#a1.?[#this > 1][0]}:#{'#eu'}:#1")
    public void work(long id, List<Integer> more) {
      LockContext.ensureHeld("a:8:2:#eu:#1");
    }
  }

  @Test
  void aNameThatOnlyLooksAsIfItDependedOnTheCall() {
    refuses(
        ForgottenBracesAroundAnIndex.class,
        "ForgottenBracesAroundAnIndex.work(long)",
        "Write #{#p0}");
    refuses(WholeExpressionWithoutBraces.class, "WholeExpressionWithoutBraces.work(long)", "#typo");
    refuses(UnknownVariable.class, "UnknownVariable.work(long)", "#typo", "[id]");
    refuses(UnknownVariableInside.class, "UnknownVariableInside.work(long)", "#typo", "[id]");
    refuses(UnknownIndex.class, "UnknownIndex.work(long)", "#p1", "[id]");
    refuses(JoinedText.class, "JoinedText.work(Long)", "'a:' + #id", "\"orders:#{#id}\"");
    world.start(KnownVariables.class).getBean(KnownVariables.class).work(7, List.of(1, 2));
  }

  static class NoTime {
    @WithLock(name = "a", waitFor = "soon")
    public void work() {}
  }

  static class NoUnit {
    @WithLock(name = "a", lease = "30")
    public void work() {}
  }

  static class TwoEnds {
    @WithLock(name = "a", lease = "5s", maxHold = "5s")
    public void work() {}
  }

  static class LateStage {
    @WithLock(name = "a", atLeast = "5s")
    public CompletableFuture<String> work() {
      return CompletableFuture.completedFuture("");
    }
  }

  static class NoLease {
    @WithLock(name = "a", lease = "0")
    public void work() {}
  }

  static class ShortLease {
    @WithLock(name = "a", lease = "9ms")
    public void work() {}
  }

  static class NoHold {
    @WithLock(name = "a", maxHold = "0")
    public void work() {}
  }

  static class LongHold {
    @ScheduledLock(name = "a", maxHold = "10001d")
    public void work() {}
  }

  static class LongRest {
    @WithLock(name = "a", atLeast = "10001d")
    public void work() {}
  }

  @Test
  void timesThatNoLockCanHave() {
    refuses(NoLease.class, "NoLease.work()", "lease = \"0\"", "10 ms", "Remove lease");
    refuses(ShortLease.class, "ShortLease.work()", "lease = \"9ms\"", "10 ms");
    refuses(NoHold.class, "NoHold.work()", "maxHold = \"0\"", "10 ms", "Remove maxHold");
    refuses(LongHold.class, "LongHold.work()", "maxHold = \"10001d\"", "10,000 days");
    refuses(LongRest.class, "LongRest.work()", "atLeast = \"10001d\"", "10,000 days");
  }

  @Test
  void timesThatDoNotFit() {
    refuses(TwoEnds.class, "TwoEnds.work()", "maxHold");
    refuses(LateStage.class, "LateStage.work()", "atLeast");
  }

  @Test
  void attributesThatCannotBeRead() {
    refuses(BlankName.class, "BlankName.work()", "blank");
    refuses(MissingProperty.class, "MissingProperty.work()", "${not.there}");
    refuses(BrokenExpression.class, "BrokenExpression.work(long)", "a:#{#id");
    refuses(ForgottenBraces.class, "ForgottenBraces.work(long)", "Write #{#id}");
    refuses(NoTime.class, "NoTime.work()", "waitFor", "soon");
    refuses(NoUnit.class, "NoUnit.work()", "lease", "30");
  }

  static class Worker {
    @WithLock("a")
    public void work() {}
  }

  static class Early implements BeanPostProcessor, PriorityOrdered {
    Early(Worker worker) {
      worker.work();
    }

    @Override
    public int getOrder() {
      return 0;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class MadeTooEarly {
    @Bean
    Worker worker() {
      return new Worker();
    }

    @Bean
    static Early early(Worker worker) {
      return new Early(worker);
    }
  }

  @Test
  void aBeanThatIsNoProxyBecauseItWasMadeTooEarly() {
    refuses(MadeTooEarly.class, "'worker'", "Worker.work()", "BeanPostProcessor", "ObjectProvider");
  }

  @Test
  void anObjectThatWasRegisteredAsItIs() {
    LockedMethodException refused =
        World.refusal(() -> {
          AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
          context.register(WithLockConfiguration.class);
          context.registerBean(LockService.class, () -> world.here);
          context.getBeanFactory().registerSingleton("worker", new Worker());
          context.refresh();
        });
    assertTrue(World.message(refused).contains("'worker'"), World.message(refused));
  }

  interface Interface {
    void other();
  }

  static class BehindAnInterface implements Interface {
    @Override
    public void other() {}

    @WithLock("a")
    public void work() {}
  }

  @Test
  void aMethodThatIsNotInTheProxysInterfaces() {
    refuses(BehindAnInterface.class, "BehindAnInterface.work()", "proxyTargetClass");
  }

  @Lazy
  static class LazyFinal {
    @WithLock("a")
    public final void work() {}
  }

  @Test
  void aLazyBeanIsRefusedWhenItIsMade() {
    var context = world.start(LazyFinal.class);
    LockedMethodException refused = World.refusal(() -> context.getBean(LazyFinal.class));
    assertTrue(World.message(refused).contains("LazyFinal.work()"), World.message(refused));
  }

  static class Unnamed {
    @WithLock("a")
    public void work() {}
  }

  static class Named {
    @WithLock(name = "a", service = "second")
    public void work() {
      LockContext.ensureHeld();
    }
  }

  static class Misnamed {
    @WithLock(name = "a", service = "third")
    public void work() {}
  }

  @Configuration(proxyBeanMethods = false)
  static class Several {
    @Bean
    LockService first() {
      return LockService.open("memory:first");
    }

    @Bean
    LockService second() {
      return LockService.open("memory:second");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OnePrimary {
    @Bean
    @Primary
    LockService first() {
      return LockService.open("memory:first");
    }

    @Bean
    LockService second() {
      return LockService.open("memory:second");
    }
  }

  private static AnnotationConfigApplicationContext services(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(WithLockConfiguration.class);
    context.register(beans);
    try {
      context.refresh();
      return context;
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  @Test
  void severalLockServicesOfWhichNoneIsNamed() {
    LockedMethodException refused = World.refusal(() -> services(Several.class, Unnamed.class));
    assertTrue(World.message(refused).contains("[first, second]"), World.message(refused));
    refused = World.refusal(() -> services(Several.class, Misnamed.class));
    assertTrue(World.message(refused).contains("'third'"), World.message(refused));
    refused = World.refusal(() -> services(Unnamed.class));
    assertTrue(World.message(refused).contains("LockService"), World.message(refused));
    services(OnePrimary.class, Unnamed.class).close();
    try (var context = services(Several.class, Named.class)) {
      context.getBean(Named.class).work();
    }
  }
}
