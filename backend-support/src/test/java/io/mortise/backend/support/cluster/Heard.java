package io.mortise.backend.support.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.ChannelListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/** What a listener was told, in order. */
final class Heard implements ChannelListener {
  final List<String> news = new CopyOnWriteArrayList<>();

  @Override
  public void onSubscribed() {
    news.add("subscribed");
  }

  @Override
  public void onInterrupted(Throwable cause) {
    news.add("interrupted");
  }

  @Override
  public void onMessage(String message) {
    news.add("message " + message);
  }

  void await(String... all) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!news.equals(List.of(all)) && System.nanoTime() < end) {
      LockSupport.parkNanos(5_000_000);
    }
    assertTrue(news.equals(List.of(all)), news::toString);
  }
}
