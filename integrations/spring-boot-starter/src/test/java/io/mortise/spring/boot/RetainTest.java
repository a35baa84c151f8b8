package io.mortise.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.LockBackend;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class RetainTest {
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(MortiseAutoConfiguration.class))
          .withBean(LockBackend.class, store::backend);

  private static void lockTwice(LockService locks) {
    DistributedLock lock = locks.getLock("orders:42");
    for (int i = 0; i < 2; i++) {
      lock.lock();
      lock.unlock();
    }
  }

  @Test
  void aLockThatIsRetainedIsTakenAgainWithoutACommand() {
    application
        .withPropertyValues("mortise.retain=10ms")
        .run(context -> {
          lockTwice(context.getBean(LockService.class));
          assertThat(store.scriptCounts()).containsEntry("acquire", 1L);
        });
  }

  @Test
  void noLockIsRetainedByDefault() {
    application.run(context -> {
      lockTwice(context.getBean(LockService.class));
      assertThat(store.scriptCounts()).containsEntry("acquire", 2L);
    });
  }
}
