package io.mortise.jmh.contestant;

import io.mortise.LockService;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;

/** Mortise, on one of its backends. */
record MortiseSite(LockService service) implements Site {
  static Site open(URI uri, Duration lease, String provider) {
    return new MortiseSite(
        LockService.builder()
            .uri(uri.toString())
            .provider(provider)
            .leaseTime(lease)
            .commandTimeout(Duration.ofSeconds(2))
            .open());
  }

  @Override
  public Lock lock(String name) {
    return service.getLock(name);
  }

  @Override
  public Lock fairLock(String name) {
    return service.getFairLock("fair:" + name);
  }

  @Override
  public void close() {
    service.close();
  }
}
