package io.mortise.backend.lettuce;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Lets the threads of connections sleep. Netty wakes one that has no task for later each second, to
 * look for one; so it gets one, for much later.
 */
final class LongSleep implements NettyCustomizer {
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // of a listener that tells nothing
  public void afterChannelInitialized(Channel channel) {
    Future<?> later = channel.eventLoop().scheduleAtFixedRate(() -> {}, 1, 1, TimeUnit.DAYS);
    channel.closeFuture().addListener(closed -> later.cancel(false));
  }
}
