package io.mortise.spring.boot;

import io.mortise.spi.LockBackend;

/**
 * A backend on a client of the application, and what was opened for it.
 *
 * @param after ends that, when the backend is closed
 */
record OpenedStore(LockBackend backend, Runnable after) {
  OpenedStore(LockBackend backend) {
    this(backend, () -> {});
  }
}
