package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.QuorumException;
import io.mortise.RedLock;
import io.mortise.conformance.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code mortise redlock init} on real servers. */
class RedLockInitTest {
  private final List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
  private final List<LockService> services = new ArrayList<>();

  @AfterEach
  void close() {
    services.forEach(LockService::close);
    servers.forEach(RedisServer::close);
  }

  private Invocation init(String time) {
    List<String> args = new ArrayList<>(List.of("redlock", "init", "--longest-lease", time));
    servers.forEach(each -> args.addAll(List.of("--uri", each.uri().toString())));
    return Invocation.of(args.toArray(String[]::new));
  }

  private RedLock lock(Duration longest) {
    servers.forEach(each ->
        services.add(
            LockService.builder()
                .uri(each.uri().toString())
                .provider("lettuce")
                .leaseTime(Duration.ofSeconds(10))
                .open()));
    return RedLock.of(services.stream().map(each -> each.getLock("x")).toArray(LeasedLock[]::new))
        .withQuarantine(longest);
  }

  @ParameterizedTest
  @CsvSource({"10s, 10000", "5m, 300000"})
  void theServersVoteAtOnce(String time, long millis) {
    Invocation run = init(time);
    assertEquals(0, run.exitCode(), run.err());
    assertEquals("3 servers vote from now on, for leases of at most " + time, run.out().strip());

    RedLock lock = lock(Duration.ofMillis(millis));
    assertTrue(lock.tryLock());
    lock.unlock();
  }

  @Test
  void withoutItTheyWaitForTheLongestLease() {
    RedLock lock = lock(Duration.ofSeconds(10));
    QuorumException e = assertThrows(QuorumException.class, lock::tryLock);
    assertTrue(String.valueOf(e.getMessage()).contains("in quarantine"), e::toString);

    Invocation late = init("10s");
    assertEquals(3, late.exitCode(), late.all());
    assertTrue(late.err().contains("has the key mortise:node"), late.err());
  }

  @Test
  void aUsedServerKeepsAllInQuarantine() {
    servers.get(2).command("SET", "mortise:lock:{orders}", "1");

    Invocation run = init("30s");

    assertEquals(3, run.exitCode(), run.all());
    assertTrue(run.err().contains("has the key mortise:lock:{orders}"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(Set.of(), servers.get(0).keys());
  }

  @Test
  void aServerOutOfReachKeepsAllInQuarantine() {
    servers.get(1).kill();

    Invocation run = init("30s");

    assertEquals(3, run.exitCode(), run.all());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals(Set.of(), servers.get(0).keys());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          redlock init --uri redis://a | Missing required option: '--longest-lease=TIME'
          redlock init --longest-lease 30s | Missing required option: '--uri=URI'
          redlock init --uri redis://a --longest-lease 30 | --longest-lease 30 is no time
          redlock init --uri a:6379 --longest-lease 30s | no backend serves 'a:'
          redlock init --uri red~is://joe:s3cret@a --longest-lease 30s | malformed at character 3
          """)
  void aBadArgumentIsExplained(String arguments, String message) {
    Invocation run = Invocation.of(arguments.split(" ", -1));
    assertEquals(2, run.exitCode(), run.all());
    assertTrue(run.err().contains(message), run.err());
    assertFalse(run.err().contains("s3cret"), run.err());
  }

  @Test
  void theGroupAloneShowsItsUsage() {
    Invocation run = Invocation.of("redlock");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("init"), run.err());
  }
}
