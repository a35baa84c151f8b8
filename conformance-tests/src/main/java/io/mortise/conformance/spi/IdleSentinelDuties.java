package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an idle service costs each sentinel while another sentinel is down. */
abstract class IdleSentinelDuties extends Duties {
  private static final double MOST_A_SECOND = 2;

  /** The sentinels' own talk, which is subtracted, changes by less than this. */
  private static final double NOISE = 2;

  private static final Duration WINDOW = Duration.ofSeconds(4);

  IdleSentinelDuties(RedisSentinelConformance suite) {
    super(suite);
  }

  @Test
  @Rule("B19")
  @DisplayName("B19: an idle service leaves sentinels in peace, whichever of them is down")
  void oneSentinelDown(Figures figures) throws InterruptedException {
    try (RedisSentinels set = RedisSentinels.start(Duration.ofSeconds(1))) {
      for (RedisServer down : set.sentinels()) {
        down.kill();
        List<RedisServer> living = set.sentinels().stream().filter(RedisServer::isRunning).toList();
        List<Double> before = rates(living);
        try (LockService service = LockService.builder().backend(open(set.uri())).open()) {
          service.getLock(name("idle")).lock();
          service.getLock(name("idle")).unlock();
          List<Double> after = rates(living);
          for (int i = 0; i < living.size(); i++) {
            double own = after.get(i) - before.get(i);
            figures.add("commands a second at a living sentinel", "%.1f".formatted(own));
            assertTrue(own < MOST_A_SECOND + NOISE, () -> own + " commands a second");
          }
        }
        down.restart();
        set.awaitComplete();
      }
    }
  }

  private static List<Double> rates(List<RedisServer> servers) throws InterruptedException {
    List<Long> before = servers.stream().map(IdleSentinelDuties::commands).toList();
    long start = System.nanoTime();
    Thread.sleep(WINDOW.toMillis()); // what happens in a time without calls is counted
    double seconds = (System.nanoTime() - start) / 1e9;
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      rates.add((commands(servers.get(i)) - before.get(i)) / seconds);
    }
    return rates;
  }

  /** A sentinel counts no command by its name. */
  private static long commands(RedisServer sentinel) {
    return String.valueOf(sentinel.command("INFO", "stats"))
        .lines()
        .filter(line -> line.startsWith("total_commands_processed:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
        .sum();
  }
}
