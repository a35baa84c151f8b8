package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Site;

/** Names that eight threads lock and unlock, each name once. Nothing should be left of them. */
final class NamesUsedOnce implements Load {
  private static final int WARM_UP = 1_000;

  private final int size;
  private final Owners owners = new Owners(8);
  private final Site site;

  NamesUsedOnce(Order order) {
    size = order.size();
    site = order.open();
  }

  @Override
  public void prepare() throws Exception {
    owners.each(WARM_UP, i -> HeldLocks.pair(site.lock("warm-up-" + i)));
  }

  @Override
  public void fill() throws Exception {
    owners.each(size, i -> HeldLocks.pair(site.lock("once-" + i)));
  }

  @Override
  public void check() {}

  @Override
  public void close() {
    site.close();
    owners.close();
  }
}
