package io.mortise.conformance.spi;

import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;

/** A good backend as the base of a defect. */
class Wrapped extends ForwardingBackend {
  private final LockBackend good;

  Wrapped(LockBackend good) {
    this.good = good;
  }

  @Override
  protected LockBackend target() {
    return good;
  }
}
