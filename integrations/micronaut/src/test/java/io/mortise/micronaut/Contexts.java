package io.mortise.micronaut;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.micronaut.context.ApplicationContext;
import io.mortise.LockService;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Application contexts. The property {@code test} chooses the beans that a context has. */
final class Contexts {
  private Contexts() {}

  /** A context with the application's own service. */
  static ApplicationContext start(LockService locks, String test, String... properties) {
    return ApplicationContext.builder(all(test, properties)).singletons(locks).start();
  }

  /** A context with several services of the application. */
  static ApplicationContext start(List<LockService> services, String test) {
    return ApplicationContext.builder(all(test)).singletons(services.toArray()).start();
  }

  /** A context without a service of the application. */
  static ApplicationContext startAlone(String test, String... properties) {
    return ApplicationContext.builder(all(test, properties)).start();
  }

  private static Map<String, Object> all(String test, String... properties) {
    Map<String, Object> all = new HashMap<>(Map.of("test", test));
    for (String property : properties) {
      int at = property.indexOf('=');
      all.put(property.substring(0, at), property.substring(at + 1));
    }
    return all;
  }

  /** The messages of all causes. */
  static String messages(Throwable thrown) {
    StringBuilder all = new StringBuilder();
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      all.append(each.getClass().getSimpleName()).append(": ").append(each.getMessage());
    }
    return all.toString();
  }

  /** The start stops, and says all of this. */
  static void refuses(Runnable start, String... texts) {
    try {
      start.run();
    } catch (RuntimeException e) {
      for (String text : texts) {
        assertTrue(messages(e).contains(text), () -> messages(e));
      }
      return;
    }
    fail("it started");
  }
}
