package io.mortise.rivals;

import java.util.concurrent.locks.Lock;

/** A client of one library, with its own connections and its own name in the store. */
interface Client extends AutoCloseable {
  /** A new handle of the plain lock of that name: reentrant and unfair. */
  Mutex mutex(String name);

  /** A new handle of a lock of any kind. */
  Lock lock(Kind kind, String name);

  @Override
  void close();
}
