package io.mortise.backend.inmemory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.luaj.vm2.LuaString;

/** Who listens where, and what the running script has published. Guarded by the store's lock. */
final class Channels {
  private record Letter(ChannelSubscription to, String message) {}

  private final Map<LuaString, List<ChannelSubscription>> byName = new HashMap<>();
  private final List<Letter> outgoing = new ArrayList<>();

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
   * Keeps the message for everybody who listens now.
   *
   * @return the number of clients that listen; one that subscribed twice counts once, as in Redis
   */
  int publish(LuaString channel, LuaString message) {
    List<ChannelSubscription> listening = byName.get(channel);
    if (listening == null) {
      return 0;
    }
    String text = Numbers.string(message);
    listening.forEach(subscription -> outgoing.add(new Letter(subscription, text)));
    return listening.size() == 1
        ? 1
        : (int) listening.stream().map(ChannelSubscription::client).distinct().count();
  }

  /** Hands over what was published, in order; the result is to be delivered without the lock. */
  List<ChannelSubscription> handOver() {
    if (outgoing.isEmpty()) {
      return List.of();
    }
    outgoing.forEach(letter -> letter.to.add(letter.message));
    List<ChannelSubscription> reached = outgoing.stream().map(Letter::to).distinct().toList();
    outgoing.clear();
    return reached;
  }

  /** The channels somebody listens to. */
  Set<String> names() {
    return byName.keySet().stream()
        .map(Numbers::string)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
