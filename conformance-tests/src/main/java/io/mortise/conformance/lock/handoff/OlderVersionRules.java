package io.mortise.conformance.lock.handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Services of versions that do not ask for a lock, or read only what those wrote. */
public abstract class OlderVersionRules extends LockRules {
  /** Longer than two re-checks. */
  private static final Duration RECHECKS = Duration.ofSeconds(6);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected OlderVersionRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L10", "L12"})
  void aWaiterThatDoesNotAskGetsTheLockWhenTheTimeIsOver() {
    Duration time = Duration.ofSeconds(1);
    DistributedLock mine = service(builder -> builder.retain(time)).getLock(name);
    String client = "older~1~a";
    LockBackend older = backend();
    CountDownLatch listens = new CountDownLatch(1);
    Subscription unused = older.subscribe("mortise:mail:" + client, listening(listens));
    Await.until("its mailbox is open", () -> listens.getCount() == 0);
    String joins =
        """
        if redis.call('EXISTS', KEYS[3]) == 0 then
          return {0}
        end
        local time = redis.call('TIME')
        redis.call('ZADD', KEYS[1], 1, ARGV[1])
        redis.call('ZADD', KEYS[2], time[1] * 1000 + 60000, ARGV[1])
        redis.call('PEXPIRE', KEYS[1], 60000)
        redis.call('PEXPIRE', KEYS[2], 60000)
        return {1}
        """;
    String slot = ":{" + name + '}';
    List<String> keys =
        List.of("mortise:queue" + slot, "mortise:alive" + slot, "mortise:lock" + slot);
    List<String> id = List.of(client + ":1:1");
    ScriptCall join = new ScriptCall(Script.of("joins", joins), keys, id, RECHECKS);
    Await.until(
        "the waiter joins while the lock is retained",
        () -> {
          mine.lock();
          mine.unlock();
          return older.execute(join).equals(List.of(1L));
        });

    passTimeUntil(
        "the waiter is granted the lock",
        RECHECKS,
        () -> run("return redis.call('HKEYS', KEYS[1])").equals(id));
  }

  @Test
  @Rule({"L12", "L13"})
  void aFencedWaiterIsGrantedTheLockAsOlderVersionsUnderstandIt() {
    DistributedLock mine = lock();
    mine.lock();
    LockService other = service(link, builder -> builder);
    FencedLock theirs = other.getFencedLock(name);
    Contender waiter = entering(theirs);
    awaitQueued(1);
    HeldCall confirming = link.hold("acquire");

    mine.unlock();
    confirming.awaitSent();

    String value = "return {redis.call('HGET', KEYS[1], redis.call('HKEYS', KEYS[1])[1])}";
    assertEquals(List.of("1"), run(value));
    confirming.pass();
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  private static ChannelListener listening(CountDownLatch listens) {
    return new ChannelListener() {
      @Override
      public void onSubscribed() {
        listens.countDown();
      }

      @Override
      public void onMessage(String message) {}

      @Override
      public void onInterrupted(Throwable cause) {}
    };
  }
}
