package io.mortise.internal.lock;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a Redlock must know of a member's server.
 *
 * @param process differs between two servers, and between two starts of one server; empty if the
 *     server does not say
 * @param policy its maxmemory-policy; empty if the server does not say
 * @param replicas how many replicas are connected to it; 0 if the server does not say
 * @param nodes the ids of the masters of its cluster; empty outside a cluster
 */
public record ServerFacts(String process, String policy, int replicas, Set<String> nodes) {
  static ServerFacts of(List<Object> reply) {
    Set<String> nodes = new HashSet<>();
    reply.subList(3, reply.size()).forEach(id -> nodes.add((String) id));
    String replicas = (String) reply.get(2);
    return new ServerFacts(
        (String) reply.get(0),
        (String) reply.get(1),
        replicas.isEmpty() ? 0 : Integer.parseInt(replicas),
        nodes);
  }

  /** Whether it may remove the keys of locks to save memory. */
  public boolean evicts() {
    return !policy.isEmpty() && !policy.equals("noeviction");
  }

  /** Whether both are facts about one server or one cluster. */
  public boolean isOneWith(ServerFacts other) {
    return (!process.isEmpty() && process.equals(other.process))
        || !Collections.disjoint(nodes, other.nodes);
  }
}
