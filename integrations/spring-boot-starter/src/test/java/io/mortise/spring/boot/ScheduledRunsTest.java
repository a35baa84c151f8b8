package io.mortise.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.mortise.LockService;
import io.mortise.micrometer.MortiseMetrics;
import io.mortise.spring.ScheduledLock;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Jobs that are counted behave as those that are not. */
class ScheduledRunsTest {
  static class Jobs {
    @ScheduledLock(name = "bills")
    public CompletableFuture<String> write(CompletableFuture<String> bills) {
      return bills;
    }
  }

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final MortiseMetrics metrics = new MortiseMetrics(registry);

  private void run(Consumer<Jobs> action) {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                WithLockAutoConfiguration.class, MortiseMetricsAutoConfiguration.class))
        .withBean(SimpleMeterRegistry.class, () -> registry)
        .withBean(MortiseMetrics.class, () -> metrics)
        .withBean(LockService.class, () -> LockService.open("memory:bills"))
        .withBean(Jobs.class)
        .run(context -> action.accept(context.getBean(Jobs.class)));
  }

  private double count(String outcome) {
    return registry.get("mortise.scheduled").tag("outcome", outcome).counter().count();
  }

  @Test
  void toCancelTheStageOfAJobCancelsItsWork() {
    run(jobs -> {
      CompletableFuture<String> work = new CompletableFuture<>();
      assertTrue(jobs.write(work).cancel(true));
      assertTrue(work.isCancelled());
    });
  }

  @Test
  void aJobsOwnFailureIsTheFailureOfItsStage() {
    IOException failure = new IOException("no paper");
    run(jobs -> {
      CompletableFuture<Throwable> seen =
          jobs.write(CompletableFuture.failedFuture(failure))
              .handle((value, thrown) -> thrown)
              .orTimeout(60, TimeUnit.SECONDS);
      assertSame(failure, seen.join());
      assertEquals(1, count("failed"));
    });
  }

  @Test
  void aRunIsCountedBeforeItsStageCompletes() {
    run(jobs -> {
      CompletableFuture<String> work = new CompletableFuture<>();
      CompletableFuture<Double> counted = jobs.write(work).thenApply(value -> count("ran"));
      assertFalse(counted.isDone());
      work.complete("written");
      assertEquals(1, counted.orTimeout(60, TimeUnit.SECONDS).join());
    });
  }
}
