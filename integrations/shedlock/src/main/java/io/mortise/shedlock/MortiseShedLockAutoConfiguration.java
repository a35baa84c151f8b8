package io.mortise.shedlock;

import io.mortise.LockService;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Gives an application of Spring Boot a {@link MortiseLockProvider}, unless it has a provider. */
@AutoConfiguration(afterName = "io.mortise.spring.boot.MortiseAutoConfiguration")
final class MortiseShedLockAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(LockProvider.class)
  @ConditionalOnSingleCandidate(LockService.class)
  MortiseLockProvider mortiseLockProvider(LockService service) {
    return new MortiseLockProvider(service);
  }
}
