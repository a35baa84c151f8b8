package io.mortise.spring.integration;

import io.mortise.LockService;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/** Gives an application of Spring Boot a {@link MortiseLockRegistry}, unless it has a registry. */
@AutoConfiguration(afterName = "io.mortise.spring.boot.MortiseAutoConfiguration")
final class MortiseLockRegistryAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(LockRegistry.class)
  @ConditionalOnSingleCandidate(LockService.class)
  MortiseLockRegistry mortiseLockRegistry(LockService service) {
    return new MortiseLockRegistry(service);
  }
}
