package io.mortise.spring.boot;

import io.mortise.LockService;
import io.mortise.spring.LockTemplate;
import io.mortise.spring.WithLockConfiguration;
import io.mortise.spring.WithLockSettings;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** Applies {@link io.mortise.spring.WithLock} to the application's beans. */
@AutoConfiguration(after = MortiseAutoConfiguration.class)
@Import(WithLockConfiguration.class)
public class WithLockAutoConfiguration {
  /** For Spring. */
  public WithLockAutoConfiguration() {}

  /** It is needed before the beans of properties are there. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  @ConditionalOnMissingBean
  static WithLockSettings mortiseWithLockSettings(Environment environment) {
    return Binder.get(environment)
        .bindOrCreate("mortise.with-lock", MortiseProperties.WithLock.class)
        .settings();
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(LockService.class)
  LockTemplate mortiseLockTemplate(LockService service, WithLockSettings settings) {
    return new LockTemplate(service, settings);
  }
}
