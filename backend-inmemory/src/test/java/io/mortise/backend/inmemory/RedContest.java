package io.mortise.backend.inmemory;

import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.backend.inmemory.SimulatedNode.Fault;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Contenders of two processes want one Redlock of five nodes, again and again. Time is moved by one
 * thread, and commands need some of it. So the numbers do not depend on the machine.
 */
final class RedContest {
  /** What one phase of a contest came to. */
  record Result(int holds, Duration longestGap, int refused, int commands) {}

  private static final int NODES = 5;
  private static final int PROCESSES = 2;
  private static final int LONGEST_HOLD = 12;
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** Half of the longest time that a command takes there and back. */
  private static final Duration LONGEST_WAY = Duration.ofNanos(500_000);

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final List<LockService> services = new ArrayList<>();
  private final List<LockBackend> links = new ArrayList<>();
  private final Random random;
  private final int contenders;
  private boolean goesOn = true;
  private int running;
  private int waiting;
  private int inside;
  private long freeSince;
  private int holds;
  private int refused;
  private int commands;
  private long longestGap;

  RedContest(long seed, int contenders) {
    random = new Random(seed);
    this.contenders = contenders;
    for (int i = 0; i < NODES; i++) {
      nodes.add(new SimulatedNode(store, i, random.nextLong()));
    }
    List<RedLock> locks = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      locks.add(open());
    }
    for (int i = 0; i < contenders; i++) {
      RedLock lock = locks.get(i % PROCESSES);
      later(random.nextInt(20), () -> enter(lock));
      running++;
    }
  }

  private RedLock open() {
    List<LeasedLock> members = new ArrayList<>();
    for (SimulatedNode node : nodes) {
      LockBackend link = new Far(node.client());
      LockService service = node.service(link, LEASE);
      links.add(link);
      services.add(service);
      members.add(service.getLock("red"));
    }
    return RedLock.of(members.toArray(LeasedLock[]::new));
  }

  void fail(Fault how, int... which) {
    for (int node : which) {
      nodes.get(node).fail(how);
    }
  }

  /** Goes on for that long, and tells what happened in that time. */
  Result run(Duration time) {
    holds = 0;
    refused = 0;
    commands = 0;
    longestGap = 0;
    freeSince = now();
    store.advance(time);
    endGap();
    return new Result(holds, Duration.ofNanos(longestGap), refused, commands);
  }

  /** Ends all, and returns how many contenders have not come to an end. */
  int close() {
    goesOn = false;
    nodes.stream().filter(each -> each.fault() != Fault.NONE).forEach(SimulatedNode::recover);
    store.advance(Duration.ofMinutes(2));
    services.forEach(LockService::close);
    links.forEach(LockBackend::close);
    nodes.forEach(SimulatedNode::close);
    return running;
  }

  private long now() {
    return store.time().nanoTime();
  }

  private void later(int millis, Runnable task) {
    Timer unused = store.time().schedule(task, Duration.ofMillis(millis).plusNanos(1));
  }

  private void enter(RedLock lock) {
    if (!goesOn) {
      running--;
      return;
    }
    if (waiting++ == 0 && inside == 0) {
      freeSince = now();
    }
    CompletableFuture<Optional<Lease>> asked =
        random.nextInt(3) > 0
            ? lock.async().tryAcquire(Duration.ofMillis(1_000 + random.nextInt(3_000)))
            : lock.async().acquire().thenApply(Optional::of);
    CompletableFuture<?> unused =
        asked.whenComplete((lease, failure) -> {
          waiting--;
          if (lease != null && lease.isPresent()) {
            hold(lock, lease.get());
          } else {
            refused++;
            goOn(lock);
          }
        });
  }

  private void hold(RedLock lock, Lease lease) {
    endGap();
    holds++;
    inside++;
    later(
        random.nextInt(LONGEST_HOLD),
        () -> {
          if (--inside == 0) {
            freeSince = now();
          }
          CompletableFuture<?> unused = lease.releaseAsync().whenComplete((done, e) -> goOn(lock));
        });
  }

  private void goOn(RedLock lock) {
    later(random.nextInt(LONGEST_HOLD * contenders), () -> enter(lock));
  }

  private void endGap() {
    if (inside == 0) {
      longestGap = Math.max(longestGap, now() - freeSince);
    }
  }

  /** A link on which commands and replies are under way for a while, in their order. */
  private final class Far extends ForwardingBackend {
    private final LockBackend near;
    private long arrival;
    private long reply;

    Far(LockBackend near) {
      this.near = near;
    }

    @Override
    protected LockBackend target() {
      return near;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      commands++;
      CompletableFuture<List<Object>> answer = new CompletableFuture<>();
      arrival = Math.max(arrival, now() + way());
      Timer unused =
          store.time().schedule(() -> arrive(call, answer), Duration.ofNanos(arrival - now()));
      return answer;
    }

    private void arrive(ScriptCall call, CompletableFuture<List<Object>> answer) {
      CompletableFuture<List<Object>> unused =
          near.executeAsync(call)
              .whenComplete((value, failure) -> {
                reply = Math.max(reply, now() + way());
                Timer unusedTimer =
                    store
                        .time()
                        .schedule(
                            () -> {
                              if (failure == null) {
                                answer.complete(value);
                              } else {
                                answer.completeExceptionally(failure);
                              }
                            },
                            Duration.ofNanos(reply - now()));
              });
    }

    private long way() {
      return 1 + random.nextLong() % (LONGEST_WAY.toNanos() / 2) + LONGEST_WAY.toNanos() / 2;
    }
  }
}
