package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes elect a leader on a real Redis, on both clients. The leader is killed, stopped
 * for longer than its lease, forced out, and asked to step down. {@link ElectionLog} judges the
 * logs.
 */
@Tag("all")
@Tag("once")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LeadersFromOutsideTest {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration BOUND = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int ROUNDS = Integer.getInteger("mortise.soak", 15) / 15 + 1;
  private static final String NAME = "reports";

  private final RedisServer redis = RedisServer.start();
  private final List<RemoteLock> running = new ArrayList<>();
  private final List<LockBackendProvider> providers =
      ServiceLoader.load(LockBackendProvider.class).stream()
          .map(ServiceLoader.Provider::get)
          .filter(provider -> provider.schemes().contains("redis"))
          .toList();
  private int started;

  @TempDir private Path folder = Path.of("");

  /** How the kit reaches the server by one client. */
  private record Client(RedisServer server, LockBackendProvider provider) implements RedisKit {}

  @AfterEach
  void end() {
    running.forEach(RemoteLock::close);
    redis.close();
  }

  private Path log() {
    return folder.resolve("election.log");
  }

  private void startOne() {
    LockBackendProvider provider = providers.get(started++ % providers.size());
    RemoteLock one =
        RemoteLock.start(
            CandidateProcess.class, new Client(redis, provider), NAME, LEASE, log().toString());
    long before = System.nanoTime();
    long said = Long.parseLong(one.ask("time"));
    assertTrue(said > before && said < System.nanoTime(), "one clock for all processes");
    running.add(one);
  }

  /** The process that leads, when one does. */
  private RemoteLock leader() {
    RemoteLock[] found = new RemoteLock[1];
    Await.until(
        "one of them leads",
        PATIENCE,
        () -> {
          for (RemoteLock each : running) {
            found[0] = each.ask("term").equals("0") ? found[0] : each;
          }
          return found[0] != null;
        });
    return found[0];
  }

  /** Called before the fault, which may take a while on a busy machine. */
  private void note(String fault, RemoteLock process) throws IOException {
    String line = "%s %d %d%n".formatted(fault, process.pid(), System.nanoTime());
    Files.writeString(log(), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private void kill(RemoteLock leader) throws IOException {
    running.remove(leader);
    note("killed", leader);
    leader.close();
    RemoteLock unused = leader();
    startOne();
  }

  private void stop(RemoteLock leader) throws IOException {
    note("stopped", leader);
    leader.freeze();
    running.remove(leader);
    RemoteLock unused = leader();
    note("continued", leader);
    leader.thaw();
    running.add(leader);
  }

  private void force(RemoteLock leader, LockService operator) throws IOException {
    note("forced", leader);
    assertTrue(operator.getFencedLock(NAME).forceUnlock());
  }

  @Test
  @Rule({"E1", "E2", "E3", "E5", "L7"})
  void termsRiseAndNoTwoLeadAtATime(Figures figures) throws IOException {
    for (int i = 0; i < 3; i++) {
      startOne();
    }
    try (LockService operator = LockService.open(redis.uri().toString(), "jedis")) {
      for (int i = 0; i < ROUNDS; i++) {
        kill(leader());
        stop(leader());
        force(leader(), operator);
        String unused = leader().ask("step-down");
      }
      RemoteLock last = leader();
      running.forEach(each -> assertEquals("close", each.ask("close")));
      assertEquals("0", last.ask("term"));
      assertEquals(0, operator.getFencedLock(NAME).getQueueLength());
      Await.until("the lock is free", () -> !operator.getFencedLock(NAME).isLocked());
    }
    ElectionLog log = new ElectionLog(Files.readAllLines(log()), LEASE, BOUND);
    assertEquals(List.of(), log.violations());
    assertTrue(log.terms() > 3 * ROUNDS, "terms: " + log.terms());
    figures.add("from a fault of the leader to the next one, lease of 3 s", log.gaps().toString());
  }
}
