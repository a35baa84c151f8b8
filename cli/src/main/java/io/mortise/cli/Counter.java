package io.mortise.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A number whose increment is a read and a later write. Overlapping increments get lost, so a
 * worker must exclude all others while it increments.
 */
interface Counter {
  long read();

  void write(long value);

  /** Reads, lets others run, writes. */
  @SuppressWarnings("ThreadPriorityCheck") // the yield invites a switch between the two steps
  default void increment() {
    long before = read();
    Thread.yield();
    write(before + 1);
  }

  /** A counter for the threads of this JVM. */
  static Counter inMemory() {
    return new FieldCounter();
  }

  /** A counter for all processes that open the file. */
  static Counter inFile(Path file) {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new FileCounter(channel.map(MapMode.READ_WRITE, 0, Long.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException("the counter's file " + file + " cannot be opened", e);
    }
  }
}

/** A plain field: neither volatile nor atomic. */
final class FieldCounter implements Counter {
  private long value;

  @Override
  public long read() {
    return value;
  }

  @Override
  public void write(long next) {
    value = next;
  }
}

/** Eight bytes of memory that several processes map. */
final class FileCounter implements Counter {
  private final MappedByteBuffer bytes;

  FileCounter(MappedByteBuffer bytes) {
    this.bytes = bytes;
  }

  @Override
  public long read() {
    return bytes.getLong(0);
  }

  @Override
  public void write(long next) {
    bytes.putLong(0, next);
  }
}
