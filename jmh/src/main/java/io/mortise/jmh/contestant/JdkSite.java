package io.mortise.jmh.contestant;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The JDK's locks, by name. */
final class JdkSite implements Site {
  private final Map<String, Lock> unfair = new ConcurrentHashMap<>();
  private final Map<String, Lock> fair = new ConcurrentHashMap<>();

  @Override
  public Lock lock(String name) {
    return unfair.computeIfAbsent(name, missing -> new ReentrantLock());
  }

  @Override
  public Lock fairLock(String name) {
    return fair.computeIfAbsent(name, missing -> new ReentrantLock(true));
  }

  @Override
  public void close() {
    unfair.clear();
    fair.clear();
  }
}
