package io.mortise.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.mortise.LockService;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

class MortiseShedLockAutoConfigurationTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(MortiseShedLockAutoConfiguration.class));

  static class Service {
    @Bean(destroyMethod = "close")
    LockService service() {
      return LockService.open("memory:jobs");
    }
  }

  @Test
  void anApplicationWithALockServiceGetsAProvider() {
    application
        .withUserConfiguration(Service.class)
        .run(context -> assertThat(context).hasSingleBean(MortiseLockProvider.class));
  }

  @Test
  void anApplicationKeepsItsOwnProvider() {
    application
        .withUserConfiguration(Service.class)
        .withBean(LockProvider.class, () -> job -> Optional.empty())
        .run(context -> assertThat(context).doesNotHaveBean(MortiseLockProvider.class));
  }

  @Test
  void withoutALockServiceThereIsNone() {
    application.run(context -> assertThat(context).doesNotHaveBean(LockProvider.class));
  }

  @Test
  void springBootFindsIt() {
    assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
        .contains(MortiseShedLockAutoConfiguration.class.getName());
  }
}
