package io.mortise.backend.support.cluster;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which node has which hash slot, as one node said at one moment. Immutable. */
final class SlotTable {
  private static final int SLOTS = 16_384;

  private final @Nullable String[] owners;
  private final Set<String> masters;
  private final Set<String> places;

  private SlotTable(@Nullable String[] owners, Set<String> masters, Set<String> places) {
    this.owners = owners;
    this.masters = masters;
    this.places = places;
  }

  /**
   * Reads the reply to {@code CLUSTER SLOTS}.
   *
   * @param reply ranges of slots, each with its first and last slot, its master and its replicas
   * @param asked the node that replied; a node that has no host in the reply is on this one's host
   */
  static SlotTable read(List<?> reply, String asked) {
    @Nullable String[] owners = new String[SLOTS];
    Set<String> masters = new TreeSet<>();
    Set<String> places = new LinkedHashSet<>();
    for (Object each : reply) {
      List<?> range = (List<?>) each;
      List<String> nodes =
          range.stream().skip(2).map(node -> place((List<?>) node, asked)).toList();
      int first = Math.toIntExact((Long) range.get(0));
      int last = Math.toIntExact((Long) range.get(1));
      Arrays.fill(owners, first, last + 1, nodes.get(0));
      masters.add(nodes.get(0));
      places.addAll(nodes);
    }
    return new SlotTable(owners, masters, places);
  }

  private static String place(List<?> node, String asked) {
    Object host = node.get(0);
    return place(host == null ? "" : host.toString(), String.valueOf(node.get(1)), asked);
  }

  /**
   * A node's address.
   *
   * @param host as a server named it; empty or {@code ?} if it knows none
   * @param port its port
   * @param asked the address of that server
   */
  static String place(String host, String port, String asked) {
    boolean unknown = host.isEmpty() || host.equals("?");
    return (unknown ? asked.substring(0, asked.lastIndexOf(':')) : host) + ':' + port;
  }

  /** The master of the slot, or null if the slot has none. */
  @Nullable String owner(int slot) {
    return owners[slot];
  }

  /** The first slot from this one on that has a master, or the same slot if none has one. */
  int ownedFrom(int slot) {
    int owned = slot;
    for (int i = 0; i < SLOTS && owners[owned] == null; i++) {
      owned = (owned + 1) % SLOTS;
    }
    return owned;
  }

  /** All masters that have slots, in the same order for the same masters. */
  Set<String> masters() {
    return masters;
  }

  /** All nodes, masters and replicas. */
  Set<String> places() {
    return places;
  }
}
