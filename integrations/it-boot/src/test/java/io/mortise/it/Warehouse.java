package io.mortise.it;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A page with a lock of Spring Integration's registry. Not on Spring Boot 3.5. */
@RestController
public class Warehouse {
  private final LockRegistry<?> registry;
  private final StringRedisTemplate redis;

  Warehouse(LockRegistry<?> registry, StringRedisTemplate redis) {
    this.registry = registry;
    this.redis = redis;
  }

  /** The lock's keys in Redis while it is held. */
  @GetMapping("/stock")
  public String stock() throws InterruptedException {
    try {
      return registry.executeLocked(
          "stock", Duration.ZERO, () -> redis.keys("*{stock}*").toString());
    } catch (TimeoutException e) {
      return "busy";
    }
  }
}
