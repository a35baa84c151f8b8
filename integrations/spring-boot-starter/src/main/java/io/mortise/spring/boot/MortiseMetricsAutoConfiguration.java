package io.mortise.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.mortise.LockService;
import io.mortise.micrometer.LockGroups;
import io.mortise.micrometer.MortiseMetrics;
import io.mortise.micrometer.MortiseObservations;
import io.mortise.spring.WithLockSettings;
import org.springframework.aop.Advisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/**
 * Gives the application's meter registries the meters of its locks. Boot binds them, because {@link
 * MortiseMetrics} is a binder of meters. The lock service gets them as a listener.
 */
@AutoConfiguration(
    after = {MortiseAutoConfiguration.class, WithLockAutoConfiguration.class},
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnClass({MeterRegistry.class, MortiseMetrics.class})
@ConditionalOnBean({MeterRegistry.class, LockService.class})
@EnableConfigurationProperties(MortiseProperties.class)
@SuppressWarnings("exports") // Spring alone calls it
public class MortiseMetricsAutoConfiguration {
  /** For Spring. */
  public MortiseMetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  LockGroups mortiseLockGroups(MortiseProperties properties) {
    MortiseProperties.Metrics metrics = properties.metrics();
    try {
      return LockGroups.of(metrics.groups(), metrics.maxGroups());
    } catch (IllegalArgumentException e) {
      throw metrics.maxGroups() < 1
          ? invalid("max-groups", metrics.maxGroups(), e)
          : invalid("groups", metrics.groups(), e);
    }
  }

  private static RuntimeException invalid(
      String property, Object value, IllegalArgumentException e) {
    return new InvalidConfigurationPropertyValueException(
        "mortise.metrics." + property, value, e.getMessage());
  }

  @Bean
  @ConditionalOnMissingBean
  MortiseMetrics mortiseMetrics(LockGroups groups) {
    return new MortiseMetrics(groups);
  }

  @Bean
  LockServiceCustomizer mortiseTimedCommands(MortiseMetrics metrics) {
    return builder -> builder.wrapBackend(metrics::timed);
  }

  /** The gauges of each lock service, also of those that the application opens itself. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static BeanPostProcessor mortiseGauges(ObjectProvider<MortiseMetrics> metrics) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof LockService service ? metrics.getObject().watch(service) : bean;
      }
    };
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(ObservationRegistry.class)
  @ConditionalOnProperty(name = "mortise.observations.enabled", havingValue = "true")
  MortiseObservations mortiseObservations(ObservationRegistry registry, LockGroups groups) {
    return new MortiseObservations(registry, groups);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor mortiseScheduledRuns(
      WithLockSettings settings,
      ObjectProvider<MortiseMetrics> metrics,
      ConfigurableBeanFactory beans) {
    return ScheduledRuns.outside(settings, metrics, beans);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Advisor mortiseScheduledRunBegins(WithLockSettings settings) {
    return ScheduledRuns.inside(settings);
  }
}
