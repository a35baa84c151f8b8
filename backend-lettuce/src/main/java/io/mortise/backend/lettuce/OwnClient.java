package io.mortise.backend.lettuce;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.Silence;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of one backend. It uses given resources, which it leaves unchanged, and given options.
 * It changes only the options that would let a call run more than once. It measures the silence of
 * its links.
 */
@SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
final class OwnClient implements NettyCustomizer {
  private static final Logger LOG = LoggerFactory.getLogger(OwnClient.class);

  private static final AttributeKey<Wait> WAIT = AttributeKey.valueOf(Wait.class, "last");

  final RedisClient redis;

  /** Refuses the threads of the client. */
  final LoopTime time;

  /** How long the end of a client may take that is waited for. */
  static final Duration LONGEST_END = Duration.ofSeconds(1);

  private final NettyCustomizer given;
  private final ClientResources copy;
  private final Function<OwnClient, CompletableFuture<?>> atEnd;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Stops with the client. Otherwise a task of the client, such as the end of a handshake's time,
   * would run when its threads are gone.
   */
  private final ScheduledNettyTimer timer = new ScheduledNettyTimer();

  private final Map<Channel, Silence> links = new ConcurrentHashMap<>();

  private final Revival revival;

  private volatile @Nullable Renewals renewals;

  /** Creates the client. {@code atEnd} is applied when it has ended, or if it cannot be made. */
  OwnClient(
      ClientResources resources,
      ClientOptions options,
      LoopTime time,
      Function<OwnClient, CompletableFuture<?>> atEnd) {
    this.time = time;
    time.add(resources.eventExecutorGroup());
    given = resources.nettyCustomizer();
    revival = new Revival(resources.eventExecutorGroup());
    this.atEnd = atEnd;
    ClientResources made = null;
    try {
      ClientOptions changed = atMostOnce(options.mutate()).build();
      made = shared(resources).timer(timer).nettyCustomizer(this).build();
      redis = RedisClient.create(made);
      redis.setOptions(changed);
      copy = made;
    } catch (RuntimeException | LinkageError e) {
      timer.stop();
      if (made != null) {
        made.shutdown();
      }
      CompletableFuture<?> unused = atEnd.apply(this);
      throw e;
    }
  }

  static RedisURI uri(
      RedisAddress address, BackendConfig config, @Nullable ChangingCredentials credentials) {
    Duration attempt = Opening.attempt(config.commandTimeout());
    RedisURI uri = new RedisURI(address.host(), address.port(), attempt);
    uri.setSsl(address.tls());
    Credentials fixed = address.credentials();
    if (credentials != null) {
      uri.setCredentialsProvider(new AskedCredentials(credentials, null));
    } else if (fixed != null) {
      uri.setCredentialsProvider(
          new StaticCredentialsProvider(RedisCredentials.just(fixed.user(), fixed.password())));
    }
    uri.setDatabase(address.database());
    uri.setClientName(config.clientName());
    return uri;
  }

  /**
   * A copy of the resources that shares all parts that are listed here. Otherwise the end of the
   * copy would end these parts, and latencies would be published twice.
   */
  private static ClientResources.Builder shared(ClientResources given) {
    return given
        .mutate()
        .eventLoopGroupProvider(given.eventLoopGroupProvider())
        .eventExecutorGroup(given.eventExecutorGroup())
        .commandLatencyRecorder(given.commandLatencyRecorder())
        .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
        .reconnectDelay(Delay.constant(Duration.ofMillis(200)));
  }

  /**
   * Options with which a call runs at most once. Calls have their own deadlines, so the client
   * needs no timer for each command.
   */
  private static ClientOptions.Builder atMostOnce(ClientOptions.Builder options) {
    options
        .autoReconnect(true)
        .suspendReconnectOnProtocolFailure(false) // or one refused AUTH would end it for ever
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    try {
      options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    } catch (NoClassDefFoundError e) {
      // Only Lettuce 7 follows a server's maintenance notifications to another address.
    }
    return options.timeoutOptions(TimeoutOptions.create());
  }

  @Override
  public void afterBootstrapInitialized(Bootstrap bootstrap) {
    given.afterBootstrapInitialized(bootstrap);
    time.add(bootstrap.config().group());
  }

  @Override
  public void afterChannelInitialized(Channel link) {
    given.afterChannelInitialized(link);
    Silence silence = new Silence();
    links.put(link, silence);
    link.pipeline().addFirst(ear(silence)).addLast(new LinkNote());
    // Netty wakes a thread without a scheduled task each second. This task prevents that.
    Future<?> later = link.eventLoop().scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
    link.closeFuture().addListener(end -> later.cancel(links.remove(link, silence)));
    boolean needed = revival.takes(link);
    if (!needed || closed.get()) { // closed: perhaps opened by a call after close()
      link.close();
    }
  }

  /** Ends the silence at any data: the reply to a PING may be behind thousands of other replies. */
  private static ChannelInboundHandler ear(Silence silence) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object bytes) {
        silence.end();
        context.fireChannelRead(bytes);
      }
    };
  }

  /** Notes to which link a command goes, and the WAIT that went last to its link. */
  private static final class LinkNote extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (message instanceof RedisCommand<?, ?, ?> command) {
        LinkedCommand<?> linked = CommandWrapper.unwrap(command, LinkedCommand.class);
        if (linked != null) {
          linked.goesTo(context.channel());
        }
        if (linked instanceof Wait wait) {
          context.channel().attr(WAIT).set(wait);
        }
      }
      context.write(message, promise);
    }
  }

  /**
   * Closes the links that were silent for three ticks. Lettuce reconnects. A link is not silent
   * while its server waits for replicas.
   */
  void beat() {
    links.forEach((link, silence) -> {
      Wait wait = link.attr(WAIT).get();
      if (wait != null && wait.isOut()) {
        silence.end();
      } else if (silence.beat()) {
        LOG.warn("{}: no data, not even a reply to PING; reconnecting", link.remoteAddress());
        link.close();
      }
    });
  }

  /** Begins to send new credentials, if those of the URI change. The client ends that. */
  @Nullable Renewals renewals(RedisURI uri) {
    if (uri.getCredentialsProvider() instanceof AskedCredentials asked) {
      String server = LettuceBackendProvider.endpoint(uri);
      renewals = new Renewals(asked.source(), server, this::disconnectMessages);
    }
    return renewals;
  }

  /** Closes the link for messages. Lettuce reconnects. */
  private void disconnectMessages() {
    for (Channel link : links.keySet()) {
      if (link.pipeline().get(PubSubCommandHandler.class) != null) {
        link.close();
      }
    }
  }

  /** Whether the threads end, also those of the caller's client. */
  boolean isEnded() {
    return copy.eventExecutorGroup().isShuttingDown();
  }

  /** Closes all links. Lettuce reconnects, and looks up the server's name again. */
  void disconnect() {
    links.keySet().forEach(Channel::close);
  }

  /** Closes the connections, and then ends the threads. Does not wait; the future does. */
  CompletableFuture<Void> close() {
    if (!closed.getAndSet(true)) {
      if (renewals != null) {
        renewals.close();
      }
      redis
          .shutdownAsync()
          .exceptionally(e -> null)
          .thenCompose(done -> release())
          .whenComplete((done, e) -> ended.complete(null));
      disconnect(); // also what Lettuce does not know yet: links that are being opened
    }
    return ended;
  }

  private CompletableFuture<?> release() {
    timer.stop();
    copy.shutdown();
    return atEnd.apply(this);
  }
}
