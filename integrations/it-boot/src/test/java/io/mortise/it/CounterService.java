package io.mortise.it;

import io.mortise.spring.LockContext;
import io.mortise.spring.WithLock;
import java.util.Optional;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Counts in Redis, which is right only if one thread of all processes counts at a time. */
@Service
public class CounterService {
  private final StringRedisTemplate redis;

  CounterService(StringRedisTemplate redis) {
    this.redis = redis;
  }

  @WithLock("counter")
  public long increment() {
    String seen = redis.opsForValue().get("count");
    long count = seen == null ? 1 : Long.parseLong(seen) + 1;
    redis.opsForValue().set("count", Long.toString(count));
    return count;
  }

  @WithLock(name = "orders:#{#id}", waitFor = "0")
  public String pay(String id) {
    LockContext.ensureHeld();
    return "paid " + id;
  }

  @WithLock(name = "orders:#{#id}", ifBusy = WithLock.IfBusy.SKIP, waitFor = "100ms")
  public Optional<String> payIfFree(String id) {
    return Optional.of("paid " + id);
  }
}
