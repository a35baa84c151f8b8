package io.mortise.it;

import java.util.Optional;
import java.util.Set;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** A job with the annotation of ShedLock. */
@Service
public class Sales {
  private final StringRedisTemplate redis;

  Sales(StringRedisTemplate redis) {
    this.redis = redis;
  }

  /** ShedLock needs it once. The lock provider is a bean already. */
  @Configuration(proxyBeanMethods = false)
  @EnableSchedulerLock(defaultLockAtMostFor = "10m")
  static class WithShedLock {}

  /** The lock's keys in Redis while it runs. */
  @SchedulerLock(name = "sales")
  public Optional<Set<String>> count() {
    LockAssert.assertLocked();
    return Optional.of(redis.keys("*{sales}*"));
  }
}
