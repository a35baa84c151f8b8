package io.mortise.jmh.drive;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The process that held each lock last, in a file that all processes have mapped into memory. Only
 * the holder of a lock reads and writes its entry, so there is one reader and writer at a time.
 */
final class Baton {
  private static final VarHandle OWNER =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final ByteBuffer owners;
  private final int own;

  private Baton(ByteBuffer owners, int own) {
    this.owners = owners;
    this.own = own;
  }

  /**
   * Opens the file for one process.
   *
   * @param file the file that all processes share
   * @param locks the number of locks
   * @param own a number that identifies this process; not 0
   */
  static Baton open(Path file, int locks, int own) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new Baton(
          channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) locks * Integer.BYTES), own);
    }
  }

  /** Notes that this process holds a lock. Returns whether another process held it before. */
  boolean take(int lock) {
    int index = lock * Integer.BYTES;
    boolean changes = (int) OWNER.getVolatile(owners, index) != own;
    if (changes) {
      OWNER.setVolatile(owners, index, own);
    }
    return changes;
  }
}
