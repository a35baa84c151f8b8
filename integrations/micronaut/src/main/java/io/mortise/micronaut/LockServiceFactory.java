package io.mortise.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Prototype;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.exceptions.ConfigurationException;
import io.mortise.LockListener;
import io.mortise.LockService;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Makes the application's lock service, if it has none of its own and the property {@code
 * mortise.uri} is set. It is opened at the start and closed with the context.
 */
@Factory
final class LockServiceFactory {
  /** The options that must fit each other. */
  private static final Pattern OPTION =
      Pattern.compile("leaseTime|maxHold|commandTimeout|retain(?= PT)");

  /** The options. A {@code BeanCreatedEventListener} of the application may change them. */
  @Prototype
  @Requires(property = "mortise.uri")
  LockService.Builder lockServiceBuilder(
      MortiseProperties properties, List<LockListener> listeners) {
    LockService.Builder builder = properties.builder();
    listeners.forEach(builder::listener);
    return builder;
  }

  @Context
  @Bean(preDestroy = "close")
  @Requires(property = "mortise.uri", missingBeans = LockService.class)
  LockService lockService(LockService.Builder builder, ServiceClosing closing) {
    try {
      return closing.closesPatiently(builder.open());
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(
          "The properties mortise.* are refused: " + inProperties(String.valueOf(e.getMessage())),
          e);
    }
  }

  /** The message names options of the builder. */
  private static String inProperties(String message) {
    return OPTION
        .matcher(message)
        .replaceAll(found ->
            "mortise." + found.group().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
  }
}
