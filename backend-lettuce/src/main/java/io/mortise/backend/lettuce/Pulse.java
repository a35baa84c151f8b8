package io.mortise.backend.lettuce;

import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.DefaultEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out that a connection's peer is silently gone. */
final class Pulse {
  private static final Logger LOG = LoggerFactory.getLogger(LettuceBackend.class);

  private final StatefulRedisConnection<String, String> connection;
  private final String endpoint;

  /** Whether the last PING is unanswered; a client's own time limit is no answer. */
  private volatile boolean silent;

  Pulse(StatefulRedisConnection<String, String> connection, String endpoint) {
    this.connection = connection;
    this.endpoint = endpoint;
  }

  /** Breaks the connection if the last PING is unanswered, and sends the next. */
  void beat() {
    if (silent) {
      LOG.warn("{}: no answer to PING, connecting anew", endpoint);
      var writer = ((RedisChannelHandler<?, ?>) connection).getChannelWriter();
      var channel = writer instanceof Delegating<?> wrapper ? wrapper.unwrap() : writer;
      if (channel instanceof DefaultEndpoint open) {
        open.disconnect();
      }
    }
    silent = true;
    var ping = connection.async().ping();
    ping.whenComplete((pong, e) -> silent = e instanceof RedisCommandTimeoutException);
  }
}
