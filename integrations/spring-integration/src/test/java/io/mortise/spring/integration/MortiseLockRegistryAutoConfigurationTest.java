package io.mortise.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.mortise.LockService;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

class MortiseLockRegistryAutoConfigurationTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(MortiseLockRegistryAutoConfiguration.class));

  static class Service {
    @Bean(destroyMethod = "close")
    LockService service() {
      return LockService.open("memory:registry");
    }
  }

  @Test
  void anApplicationWithALockServiceGetsARegistry() {
    application
        .withUserConfiguration(Service.class)
        .run(context -> assertThat(context).hasSingleBean(MortiseLockRegistry.class));
  }

  @Test
  void anApplicationKeepsItsOwnRegistry() {
    application
        .withUserConfiguration(Service.class)
        .withBean(LockRegistry.class, DefaultLockRegistry::new)
        .run(context -> assertThat(context).doesNotHaveBean(MortiseLockRegistry.class));
  }

  @Test
  void withoutALockServiceThereIsNone() {
    application.run(context -> assertThat(context).doesNotHaveBean(LockRegistry.class));
  }

  @Test
  void springBootFindsIt() {
    assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
        .contains(MortiseLockRegistryAutoConfiguration.class.getName());
  }
}
