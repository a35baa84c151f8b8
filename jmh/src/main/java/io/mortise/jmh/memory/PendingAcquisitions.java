package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asynchronous acquisitions that are not complete, and the stages that the program got for them.
 */
final class PendingAcquisitions implements Load {
  private final HeldByOther wanted;
  private final Site site;
  private final CompletionStage<?>[] pending;

  PendingAcquisitions(Order order, int locks) {
    wanted = new HeldByOther(order, locks);
    site = order.open();
    pending = new CompletionStage<?>[order.size()];
  }

  @Override
  public void prepare() throws Exception {
    wanted.prepare(site);
    site.acquire("warm-up-async").toCompletableFuture().join();
  }

  @Override
  public void fill() {
    Arrays.setAll(pending, i -> site.acquire(wanted.name(i)));
  }

  @Override
  public void check() {
    long over =
        Arrays.stream(pending)
            .map(CompletionStage::toCompletableFuture)
            .filter(CompletableFuture::isDone)
            .count();
    if (over > 0) {
      throw new IllegalStateException(over + " of " + pending.length + " acquisitions do not wait");
    }
  }

  @Override
  public void close() {
    site.close();
    wanted.close();
  }
}
