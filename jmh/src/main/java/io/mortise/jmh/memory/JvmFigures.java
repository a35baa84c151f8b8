package io.mortise.jmh.memory;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.stream.Stream;

/**
 * What this JVM uses.
 *
 * @param heap bytes of reachable objects
 * @param direct bytes of buffers outside the heap, those of Netty too
 * @param threads the number of threads
 */
record JvmFigures(long heap, long direct, long threads) {
  private static final int COLLECTIONS = 3;
  private static final long PAUSE = 20;

  /** The figures of now, after some full collections. The smallest heap counts. */
  static JvmFigures now() throws InterruptedException {
    long heap = Long.MAX_VALUE;
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      heap = Math.min(heap, reachable());
      Thread.sleep(PAUSE); // cleaners and reference queues have work after a collection
    }
    return new JvmFigures(
        heap,
        ownBuffers() + Math.max(0, PlatformDependent.usedDirectMemory()),
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  /**
   * What the last collection left. The use of now would be too much: it counts the whole block of
   * the heap that each thread takes for its next objects.
   */
  private static long reachable() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
        .sum();
  }

  /** The buffers that the JDK counts. */
  private static long ownBuffers() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  static JvmFigures parse(String line) {
    long[] numbers = Stream.of(line.split(" ", 3)).mapToLong(Long::parseLong).toArray();
    return new JvmFigures(numbers[0], numbers[1], numbers[2]);
  }

  @Override
  public String toString() {
    return heap + " " + direct + " " + threads;
  }
}
