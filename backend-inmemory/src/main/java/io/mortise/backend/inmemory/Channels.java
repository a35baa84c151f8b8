package io.mortise.backend.inmemory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.luaj.vm2.LuaString;

/**
 * The subscriptions by channel, and the messages that the running script has published. Guarded by
 * the store's lock.
 */
final class Channels {
  private record Outgoing(ChannelSubscription to, String text) {}

  private final Map<LuaString, List<ChannelSubscription>> byName = new HashMap<>();
  private final List<Outgoing> outgoing = new ArrayList<>();

  void add(ChannelSubscription subscription) {
    byName.computeIfAbsent(subscription.channel(), name -> new ArrayList<>(1)).add(subscription);
  }

  void remove(ChannelSubscription subscription) {
    byName.computeIfPresent(
        subscription.channel(),
        (name, all) -> {
          all.remove(subscription);
          return all.isEmpty() ? null : all;
        });
  }

  /**
   * Keeps the message for all current subscriptions of the channel.
   *
   * @return the number of subscribed clients; a client with two subscriptions counts once, as in
   *     Redis
   */
  int publish(LuaString channel, LuaString message) {
    List<ChannelSubscription> listening = byName.get(channel);
    if (listening == null) {
      return 0;
    }
    String text = Numbers.string(message);
    listening.forEach(subscription -> outgoing.add(new Outgoing(subscription, text)));
    return listening.size() == 1
        ? 1
        : (int) listening.stream().map(ChannelSubscription::client).distinct().count();
  }

  /**
   * Adds the published messages to their subscriptions, in order. Returns the subscriptions that
   * the caller must {@linkplain ChannelSubscription#deliver deliver} without the lock.
   */
  List<ChannelSubscription> takeOutgoing() {
    if (outgoing.isEmpty()) {
      return List.of();
    }
    outgoing.forEach(message -> message.to.add(message.text));
    List<ChannelSubscription> reached = outgoing.stream().map(Outgoing::to).distinct().toList();
    outgoing.clear();
    return reached;
  }

  /** The channels with a subscription. */
  Set<String> names() {
    return byName.keySet().stream()
        .map(Numbers::string)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
