package io.mortise.jmh.question;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.net.URI;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A contestant and a server for it: the bench's, or its own where JMH is run by hand. */
public final class Stage implements AutoCloseable {
  /** The system property that has the URI of the bench's server. */
  public static final String SERVER = "mortise.bench.redis";

  private final @Nullable RedisServer own;
  private final Site site;

  private Stage(@Nullable RedisServer own, Site site) {
    this.own = own;
    this.site = site;
  }

  static Stage open(Contestant contestant) {
    String given = System.getProperty(SERVER);
    if (given != null) {
      return new Stage(null, contestant.open(URI.create(given)));
    }
    RedisServer server = RedisServer.start();
    return new Stage(server, contestant.open(server.uri()));
  }

  Lock lock(String name) {
    return site.lock(name);
  }

  Lock fairLock(String name) {
    return site.fairLock(name);
  }

  Lock readLock(String name) {
    return site.readLock(name);
  }

  Site.Semaphore semaphore(String name, int permits) {
    return site.semaphore(name, permits);
  }

  /** Keeps the processor busy, as the work does that a lock protects. */
  public static void work(int micros) {
    if (micros > 0) {
      long end = System.nanoTime() + micros * 1_000L;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() {
    site.close();
    if (own != null) {
      own.close();
    }
  }
}
