package io.mortise.backend.sample;

import io.mortise.backend.support.Subscriber;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/** The message connection. */
final class SampleLink implements Subscriber.Link {
  private final RespConnection connection;
  private volatile boolean closed;

  SampleLink(RespConnection connection) throws IOException {
    this.connection = connection;
    connection.timeout(Duration.ZERO);
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void send(String... words) throws IOException {
    connection.send(words);
  }

  @Override
  public Object read() throws IOException {
    try {
      return Objects.requireNonNullElse(connection.read(), "");
    } catch (RespException e) {
      return e;
    }
  }

  @Override
  public void close() {
    closed = true;
    connection.close();
  }
}
