package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * What one probe does.
 *
 * @param subject what it measures
 * @param contestant of whom
 * @param server the URI of a Redis server without data
 * @param size the number of objects
 * @param lease the lease time of all locks
 * @param settle how long it waits before it reads a figure, so that connections are made and
 *     buffers are given back
 */
record Order(
    Subject subject, Contestant contestant, URI server, int size, Duration lease, Duration settle) {
  static Order parse(String[] words) {
    return new Order(
        Subject.valueOf(words[0]),
        Contestant.valueOf(words[1]),
        URI.create(words[2]),
        Integer.parseInt(words[3]),
        Duration.parse(words[4]),
        Duration.parse(words[5]));
  }

  List<String> words() {
    return List.of(
        subject.name(),
        contestant.name(),
        server.toString(),
        String.valueOf(size),
        lease.toString(),
        settle.toString());
  }

  Site open() {
    return contestant.open(server, lease);
  }
}
