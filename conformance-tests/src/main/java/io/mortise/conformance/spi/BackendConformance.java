package io.mortise.conformance.spi;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;

/**
 * The duties of the backend contract that any store can be tested for through the SPI alone.
 *
 * <pre>{@code
 * class MyBackendTest extends BackendConformance {
 *   @Override protected LockBackendProvider provider() { return new MyBackendProvider(); }
 *   @Override protected URI uri() { return URI.create("mine:test"); }
 * }
 * }</pre>
 *
 * <p>The tests use unique names, so the store need not be empty.
 */
public abstract class BackendConformance implements BackendUnderTest {
  /** For the subclass of a backend's author. */
  protected BackendConformance() {}

  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  /**
   * The URI of the store.
   *
   * @return the same store during one test
   */
  protected abstract URI uri();

  /**
   * Opens one more backend on the store of {@link #uri}. Override it to test a backend that is
   * built around an existing client.
   *
   * @return a backend, which the kit closes
   */
  protected LockBackend open() {
    return open(uri());
  }

  /**
   * Opens a backend with the provider and the kit's settings.
   *
   * @param uri the store
   * @return a backend, which the kit closes
   */
  protected LockBackend open(URI uri) {
    return provider().open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }

  /**
   * Lets time pass by {@link LockBackend#time}. Override it where a test moves the clock itself.
   *
   * @param backend whose time passes
   * @param duration how much time
   */
  protected void passTime(LockBackend backend, Duration duration) {
    TimeSource time = backend.time();
    long start = time.nanoTime();
    for (long left = duration.toNanos(); left > 0; ) {
      time.parkNanos(this, left);
      left = duration.toNanos() - (time.nanoTime() - start);
    }
  }

  @Override
  public String backendName() {
    return provider().name();
  }

  @Nested
  class Replies extends ReplyDuties {
    Replies() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Lua extends LuaDuties {
    Lua() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Calls extends CallDuties {
    Calls() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Messages extends MessageDuties {
    Messages() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Life extends LifeDuties {
    Life() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Addresses extends AddressDuties {
    Addresses() {
      super(BackendConformance.this);
    }
  }

  @Nested
  class Time extends TimeDuties {
    Time() {
      super(BackendConformance.this);
    }
  }
}
