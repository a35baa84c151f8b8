package io.mortise.conformance.redis;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One server for all tests of a class: {@code @RegisterExtension static final RedisExtension REDIS
 * = RedisExtension.of(RedisServer.builder());}.
 */
public final class RedisExtension implements BeforeAllCallback, AfterAllCallback {
  private final RedisServer.Builder builder;
  private @Nullable RedisServer server;
  private @Nullable Class<?> owner;

  private RedisExtension(RedisServer.Builder builder) {
    this.builder = builder;
  }

  /**
   * Starts the installed server.
   *
   * @return the extension
   */
  public static RedisExtension installed() {
    return of(RedisServer.builder());
  }

  /**
   * Starts a server with settings.
   *
   * @param builder the settings
   * @return the extension
   */
  public static RedisExtension of(RedisServer.Builder builder) {
    return new RedisExtension(builder);
  }

  /**
   * The running server.
   *
   * @return the server that all tests of the class share
   */
  public RedisServer server() {
    if (server == null) {
      throw new IllegalStateException("the server runs only between @BeforeAll and @AfterAll");
    }
    return server;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (server == null) {
      server = builder.start();
      owner = context.getRequiredTestClass();
    }
  }

  /** Ends the server with the class it was started for, not with a class nested in that. */
  @Override
  public void afterAll(ExtensionContext context) {
    if (server != null && context.getRequiredTestClass().equals(owner)) {
      server.close();
      server = null;
    }
  }
}
