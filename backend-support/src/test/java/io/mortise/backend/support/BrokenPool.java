package io.mortise.backend.support;

import java.lang.reflect.Field;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;

/** While it is open, a pool of an object can make no threads. */
public final class BrokenPool implements AutoCloseable {
  private final ScheduledThreadPoolExecutor pool;
  private final ThreadFactory sound;

  /** Breaks the pool in a field of the owner, or of what is in that owner's fields. */
  public BrokenPool(Object owner, String... path) throws ReflectiveOperationException {
    Object value = owner;
    for (String name : path) {
      Field field = value.getClass().getDeclaredField(name);
      field.setAccessible(true);
      value = field.get(value);
    }
    pool = (ScheduledThreadPoolExecutor) value;
    sound = pool.getThreadFactory();
    pool.setThreadFactory(task -> {
      throw new Error("no thread can be made");
    });
  }

  /** The number of its threads. */
  public int size() {
    return pool.getPoolSize();
  }

  /** The number of tasks that wait for a thread. */
  public int waiting() {
    return pool.getQueue().size();
  }

  @Override
  public void close() {
    pool.setThreadFactory(sound);
  }
}
