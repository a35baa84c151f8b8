package io.mortise.backend.inmemory;

import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;

/** The backend contract on the memory backend. */
class InMemoryConformanceTest extends BackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new InMemoryBackendProvider();
  }

  @Override
  protected URI uri() {
    return URI.create("memory:conformance");
  }
}
