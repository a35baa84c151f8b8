package io.mortise.spring.boot;

import io.mortise.LockService;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Adds {@code /actuator/locks}. */
@AutoConfiguration(after = MortiseAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
@SuppressWarnings("exports") // Spring alone calls it
public class LocksEndpointAutoConfiguration {
  /** For Spring. */
  public LocksEndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnBean(LockService.class)
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
  LocksEndpoint mortiseLocksEndpoint(
      Map<String, LockService> services,
      LocksEndpointProperties properties,
      ObjectProvider<SanitizingFunction> functions) {
    Sanitizer sanitizer = new Sanitizer(functions.orderedStream().toList());
    return new LocksEndpoint(
        services, new Sanitizing(sanitizer, properties.showValues(), properties.roles()));
  }

  @Bean
  @ConditionalOnBean(LocksEndpoint.class)
  @ConditionalOnMissingBean
  @ConditionalOnProperty(name = "mortise.actuator.force-unlock", havingValue = "true")
  LocksForceUnlock mortiseLocksForceUnlock(LocksEndpoint endpoint) {
    return new LocksForceUnlock(endpoint);
  }
}
