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
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.Silence;
import io.mortise.spi.BackendConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of one backend, on given resources, which it leaves as they are, and with given
 * options, but for what calls need that run once at most. It hears whether its links are alive.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What is not wanted any more ends unwatched.
final class OwnClient implements NettyCustomizer {
  private static final Logger LOG = LoggerFactory.getLogger(OwnClient.class);

  /** A handshake has at least that long: a busy JVM loads Lettuce for seconds meanwhile. */
  private static final Duration COLD = Duration.ofSeconds(4);

  final RedisClient redis;
  private final NettyCustomizer given;
  private final Deque<Runnable> atEnd;
  private final Map<Channel, Silence> links = new ConcurrentHashMap<>();

  /** {@code atEnd} runs when the client has ended, also if it cannot be made. */
  OwnClient(ClientResources resources, ClientOptions options, Runnable... atEnd) {
    given = resources.nettyCustomizer();
    this.atEnd = new ArrayDeque<>(List.of(atEnd));
    try {
      ClientOptions changed = atMostOnce(options.mutate()).build();
      ClientResources copy = shared(resources).nettyCustomizer(this).build();
      this.atEnd.addFirst(copy::shutdown);
      redis = RedisClient.create(copy);
      redis.setOptions(changed);
    } catch (RuntimeException | LinkageError e) {
      this.atEnd.forEach(Runnable::run);
      throw e;
    }
  }

  static RedisURI uri(RedisAddress address, BackendConfig config) {
    Duration connect = Collections.max(List.of(COLD, config.commandTimeout()));
    RedisURI uri = new RedisURI(address.host(), address.port(), connect);
    uri.setSsl(address.tls());
    uri.setCredentialsProvider(
        new StaticCredentialsProvider(RedisCredentials.just(address.user(), address.password())));
    uri.setDatabase(address.database());
    uri.setClientName(config.clientName());
    return uri;
  }

  /** What is named here would else be ended with the copy, and latencies be published twice. */
  private static ClientResources.Builder shared(ClientResources given) {
    return given
        .mutate()
        .eventLoopGroupProvider(given.eventLoopGroupProvider())
        .eventExecutorGroup(given.eventExecutorGroup())
        .timer(given.timer())
        .commandLatencyRecorder(given.commandLatencyRecorder())
        .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
        .reconnectDelay(Delay.constant(Duration.ofMillis(200)));
  }

  /** Calls have deadlines of their own; a timer of the client's for each would be one too many. */
  private static ClientOptions.Builder atMostOnce(ClientOptions.Builder options) {
    options.autoReconnect(true).disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    try {
      options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    } catch (NoClassDefFoundError e) {
      // Only Lettuce 7 moves a connection to where a server under maintenance says.
    }
    return options.timeoutOptions(TimeoutOptions.create());
  }

  @Override
  public void afterBootstrapInitialized(Bootstrap bootstrap) {
    given.afterBootstrapInitialized(bootstrap);
  }

  @Override
  public void afterChannelInitialized(Channel link) {
    given.afterChannelInitialized(link);
    Silence silence = new Silence();
    links.put(link, silence);
    link.pipeline().addFirst(ear(silence));
    // Netty wakes a thread that has no task for later each second, to look for one.
    Future<?> later = link.eventLoop().scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
    link.closeFuture().addListener(closed -> later.cancel(links.remove(link, silence)));
  }

  /** Hears everything: the answer to a PING may stand behind thousands of other replies. */
  private static ChannelInboundHandler ear(Silence silence) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object bytes) {
        silence.end();
        context.fireChannelRead(bytes);
      }
    };
  }

  /** Breaks the links that were silent for three beats; Lettuce connects anew. */
  void beat() {
    links.forEach((link, silence) -> {
      if (silence.beat()) {
        LOG.warn("{}: nothing heard, nor an answer to PING; connecting anew", link.remoteAddress());
        link.close();
      }
    });
  }

  /** Closes its connections, and then lets go of its threads; does not wait. */
  CompletableFuture<?> close() {
    CompletableFuture<?> end = redis.shutdownAsync().exceptionally(e -> null);
    return end.thenRun(() -> atEnd.forEach(Runnable::run));
  }
}
