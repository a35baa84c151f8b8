package io.mortise.rivals;

/** A client of one library, with its own connections and its own name in the store. */
interface Client extends AutoCloseable {
  /** A new handle of the plain lock of that name: reentrant and unfair. */
  Mutex mutex(String name);

  @Override
  void close();
}
