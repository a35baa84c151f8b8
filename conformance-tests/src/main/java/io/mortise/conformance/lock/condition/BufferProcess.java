package io.mortise.conformance.lock.condition;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.lock.fixture.RemoteLock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/**
 * A process that puts numbers into a bounded buffer, or takes them out. The buffer is a file. Its
 * lock and its conditions are in a store.
 */
final class BufferProcess {
  static final String WAITS = "waits";
  private static final int CAPACITY = 3;

  private final RandomAccessFile file;
  private final DistributedLock lock;
  private final Condition notEmpty;
  private final Condition notFull;

  private BufferProcess(RandomAccessFile file, DistributedLock lock) {
    this.file = file;
    this.lock = lock;
    notEmpty = lock.newCondition("not-empty");
    notFull = lock.newCondition("not-full");
  }

  /**
   * Puts or takes that many numbers, and ends.
   *
   * @param args "put" or "take"; URI; provider; lock name; file; count; for "put" the first number
   */
  public static void main(String[] args) throws Exception {
    try (LockService service = RemoteLock.patiently(() -> LockService.open(args[1], args[2]));
        RandomAccessFile file = new RandomAccessFile(args[4], "rw")) {
      BufferProcess buffer = new BufferProcess(file, service.getLock(args[3]));
      int count = Integer.parseInt(args[5]);
      for (int i = 0; i < count; i++) {
        if (args[0].equals("put")) {
          buffer.put(Long.parseLong(args[6]) + i);
        } else {
          System.out.println(buffer.take());
        }
      }
    }
  }

  private void put(long number) throws IOException, InterruptedException {
    lock.lock();
    try {
      while (read(0) - read(1) == CAPACITY) {
        await(notFull);
      }
      write(2 + read(0) % CAPACITY, number);
      write(0, read(0) + 1);
      notEmpty.signal();
    } finally {
      lock.unlock();
    }
  }

  private long take() throws IOException, InterruptedException {
    lock.lock();
    try {
      while (read(0) == read(1)) {
        System.out.println(WAITS);
        await(notEmpty);
      }
      long number = read(2 + read(1) % CAPACITY);
      write(1, read(1) + 1);
      notFull.signal();
      return number;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the caller loops
  private static void await(Condition condition) throws InterruptedException {
    if (!condition.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("no signal for 30 s");
    }
  }

  private long read(long place) throws IOException {
    file.seek(place * Long.BYTES);
    return file.readLong();
  }

  private void write(long place, long value) throws IOException {
    file.seek(place * Long.BYTES);
    file.writeLong(value);
  }
}
