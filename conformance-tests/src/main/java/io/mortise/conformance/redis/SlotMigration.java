package io.mortise.conformance.redis;

import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;

/** Moves slots of a cluster with their keys at once, as Valkey does from version 9 on. */
public final class SlotMigration {
  private static final int MOST = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private SlotMigration() {}

  /**
   * Whether a node can migrate slots.
   *
   * @param node any node
   * @return whether it has CLUSTER MIGRATESLOTS
   */
  public static boolean isPossible(RedisServer node) {
    return node.command("CLUSTER", "HELP") instanceof List<?> lines
        && lines.stream().anyMatch(line -> String.valueOf(line).startsWith("MIGRATESLOTS"));
  }

  /**
   * Migrates a slot and up to 999 behind it, and waits for the end.
   *
   * @param cluster a cluster that serves
   * @param slot 0 to 16383
   * @param to the master that gets them
   * @return how many slots
   */
  public static int run(RedisCluster cluster, int slot, RedisServer to) {
    RedisServer from = cluster.owner(slot);
    int last = Math.min(slot + MOST - 1, RedisCluster.lastOfRange(from, slot));
    from.command(
        "CLUSTER",
        "MIGRATESLOTS",
        "SLOTSRANGE",
        String.valueOf(slot),
        String.valueOf(last),
        "NODE",
        RedisCluster.id(to));
    Await.until(
        () -> "slot " + slot + " has moved: " + from.command("CLUSTER", "GETSLOTMIGRATIONS"),
        PATIENCE,
        () -> RedisCluster.owns(to, slot) && !RedisCluster.owns(from, slot));
    return last - slot + 1;
  }
}
