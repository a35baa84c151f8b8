package io.mortise.it;

import io.mortise.spring.ScheduledLock;
import java.time.Duration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;

/** A job that all processes are due to run at the same time. It notices another one inside. */
@Service
public class Reports {
  private static final Duration WORK = Duration.ofMillis(300);

  private final StringRedisTemplate redis;

  Reports(StringRedisTemplate redis) {
    this.redis = redis;
  }

  @Scheduled(cron = "${shop.reports:-}")
  @ScheduledLock(name = "${shop.job:reports}", maxHold = "30m")
  public void write() throws InterruptedException {
    boolean alone = Boolean.TRUE.equals(redis.opsForValue().setIfAbsent("writing", "yes"));
    try {
      redis.opsForValue().increment(alone ? "reports" : "overlaps");
      Thread.sleep(WORK.toMillis());
    } finally {
      redis.delete("writing");
    }
  }
}
