package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.NotReplicatedException;
import io.mortise.StaleTokenException;
import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.CommandProxy;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Locks on a server that looks as some managed services do: a cluster behind one address, and
 * servers that refuse commands.
 */
public abstract class ManagedServiceConformance implements RedisKit {
  private static final Duration LEASE = Duration.ofSeconds(3);

  /** A waiter that gets no message asks after 1.8 s at the earliest. */
  private static final long POLLED_MILLIS = 1_700;

  private final String name = "service-" + UUID.randomUUID();
  private final List<AutoCloseable> opened = new ArrayList<>();

  /** For the subclass that the author of a backend writes. */
  protected ManagedServiceConformance() {}

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    opened.add(0, resource);
    return resource;
  }

  private LockService service(URI uri) {
    LockBackend backend = closing(open(uri));
    return closing(LockService.builder().sharedBackend(backend).leaseTime(LEASE).open());
  }

  // A cluster behind one address

  /** A proxy that refuses a script whose keys have different hash tags, and counts that. */
  private CommandProxy sharded(AtomicInteger refused) {
    return closing(
        CommandProxy.to(
            server(),
            words -> {
              if (!words.get(0).startsWith("EVAL")) {
                return words;
              }
              int keys = Integer.parseInt(words.get(2));
              long tags =
                  words.subList(3, 3 + keys).stream()
                      .map(ManagedServiceConformance::tag)
                      .distinct()
                      .count();
              if (tags <= 1) {
                return words;
              }
              refused.incrementAndGet();
              return CommandProxy.refusal("CROSSSLOT Keys in request don't hash to the same slot");
            }));
  }

  private static String tag(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
  }

  @Test
  @Rule("L8")
  @DisplayName("L8: where one command may not use several slots, holds are renewed one by one")
  void renewalsOneByOne() {
    AtomicInteger refused = new AtomicInteger();
    LockService service = service(sharded(refused).uri());
    List<DistributedLock> held =
        IntStream.range(0, 150).mapToObj(i -> service.getLock(name + i)).toList();
    held.forEach(Lock::lock);
    Await.until("holds of several slots were renewed together", () -> refused.get() > 0);
    passTime(LEASE);
    int before = refused.get();
    passTime(LEASE.multipliedBy(2));
    assertEquals(before, refused.get(), "the service goes on one by one");
    for (DistributedLock each : held) {
      assertEquals(LeaseState.HELD, each.leaseState());
      each.unlock();
    }
  }

  @OnEachServer
  @Test
  @Rule({"L1", "L13"})
  @DisplayName("L1: behind such an address all kinds of lock work")
  void allKinds() throws InterruptedException {
    AtomicInteger refused = new AtomicInteger();
    LockService service = service(sharded(refused).uri());
    LockService other = service(sharded(refused).uri());
    List<Lock> locks =
        List.of(
            service.getLock(name),
            service.getFairLock(name + "-fair"),
            service.getFencedLock(name + "-fenced"),
            service.getReadWriteLock(name + "-rw").readLock(),
            service.getReadWriteLock(name + "-rw2").writeLock());
    for (Lock lock : locks) {
      lock.lock();
      lock.unlock();
    }
    LeasedLock both = MultiLock.of(service.getLock(name + "-a"), other.getLock(name + "-b"));
    both.lock();
    assertFalse(other.getLock(name + "-a").tryLock());
    both.unlock();
    DistributedSemaphore permits = service.getSemaphore(name + "-permits");
    assertTrue(permits.trySetPermits(2));
    permits.acquire(2).close();
    DistributedCountDownLatch latch = service.getCountDownLatch(name + "-latch");
    assertTrue(latch.trySetCount(1));
    latch.countDown();
    assertTrue(latch.await(1, TimeUnit.SECONDS));
    assertEquals(0, refused.get());
  }

  @Test
  @Rule("L13")
  @DisplayName("L13: a guard with a lock says which tag a key needs; without the lock it works")
  void aGuardSaysWhichTag() {
    LockBackend backend = closing(open(sharded(new AtomicInteger()).uri()));
    LockService service = closing(LockService.builder().sharedBackend(backend).open());
    FencedLock lock = service.getFencedLock(name);
    long token = lock.lockAndGetToken();
    KeyGuard guard = KeyGuard.of(backend, lock);
    guard.set('{' + name + "}:42", "17", token);
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> guard.set("other:" + name, "17", token));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("put {" + name + "} into the key"), message);
    KeyGuard.of(backend).set("other:" + name, "17", token);
    lock.unlock();
  }

  private RedisServer replica(RedisServer master, String... arguments) {
    RedisServer replica =
        closing(
            RedisServer.builder()
                .arguments("--replicaof", master.host(), String.valueOf(master.port()))
                .arguments("--repl-diskless-sync-delay", "0")
                .arguments(arguments)
                .start());
    Await.until(
        "the replica follows",
        () ->
            String.valueOf(replica.command("INFO", "replication"))
                .contains("master_link_status:up"));
    return replica;
  }

  @Test
  @Rule({"B14", "L10", "Q3"})
  @DisplayName("Q3: where PUBLISH counts no listener, waiters keep their places and get messages")
  void publishCountsNobody(Figures figures) throws Exception {
    CommandProxy proxy = closing(CommandProxy.withSubscribersAt(replica(server()), server()));
    LockService holder = service(proxy.uri());
    Script count = Script.of("count", "return redis.call('PUBLISH', ARGV[1], 'check')");
    List<String> channel = List.of("mortise:mail:" + holder.clientId());
    ScriptCall call = new ScriptCall(count, List.of(), channel, Duration.ofSeconds(2));
    assertEquals(List.of(0L), closing(open(proxy.uri())).execute(call));

    List<LockService> waiters =
        List.of(service(proxy.uri()), service(proxy.uri()), service(proxy.uri()));
    long longest = 0;
    for (int round = 0; round < 5; round++) {
      longest = Math.max(longest, handOver(server(), holder, waiters, name + round));
    }
    figures.add("longest of 15 grants without counts (ms)", String.valueOf(longest));
    assertTrue(longest < POLLED_MILLIS, "a grant took " + longest + " ms, as without messages");
  }

  /** The longest milliseconds from an unlock until the next waiter in the queue is inside. */
  private static long handOver(
      RedisServer store, LockService holder, List<LockService> waiters, String lock)
      throws Exception {
    holder.getLock(lock).lock();
    ConcurrentLinkedQueue<Integer> order = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
    List<Crew> crews = new ArrayList<>();
    for (int i = 0; i < waiters.size(); i++) {
      int number = i;
      crews.add(
          Crew.start(
              ThreadKind.PLATFORM,
              1,
              any -> {
                DistributedLock mine = waiters.get(number).getLock(lock);
                mine.lock();
                times.add(System.nanoTime());
                order.add(number);
                mine.unlock();
              }));
      int length = i + 1;
      Await.until(
          "it is in the queue", () -> store.sizeOf("mortise:queue:{" + lock + '}') == length);
    }
    long freedAt = System.nanoTime();
    holder.getLock(lock).unlock();
    for (Crew crew : crews) {
      crew.join(Duration.ofSeconds(30));
    }
    assertEquals(IntStream.range(0, waiters.size()).boxed().toList(), List.copyOf(order));
    long longest = 0;
    for (long time : times) {
      longest = Math.max(longest, time - freedAt);
      freedAt = time;
    }
    return longest / 1_000_000;
  }

  // A name that moves

  @OnEachServer
  @ParameterizedTest
  @ValueSource(strings = {"READONLY", "MASTERDOWN"})
  @Rule({"B14", "B23", "L10"})
  @DisplayName("B23: when a name leads to a new master, calls and messages follow, without a cut")
  void aNameThatMoves(String answer, Figures figures) throws Exception {
    RedisServer old = closing(RedisServer.start());
    RedisServer next = replica(old);
    CommandProxy proxy = closing(CommandProxy.to(old, command -> command));
    LockService holder = service(proxy.uri());
    LockService waiter = service(proxy.uri());
    holder.getLock(name).lock();
    holder.getLock(name).unlock();

    next.command("REPLICAOF", "NO", "ONE");
    proxy.leadTo(next);
    if (answer.equals("MASTERDOWN")) { // a replica whose master is away serves nobody
      old.command("CONFIG", "SET", "replica-serve-stale-data", "no");
      old.command("REPLICAOF", "127.0.0.1", "1");
    } else {
      old.command("REPLICAOF", next.host(), String.valueOf(next.port()));
    }
    long movedAt = System.nanoTime();
    for (LockService each : List.of(holder, waiter)) {
      assertTrue(each.getLock(name).tryLock(30, TimeUnit.SECONDS));
      each.getLock(name).unlock();
    }
    long took = (System.nanoTime() - movedAt) / 1_000_000;
    figures.add("a lock through a name that has moved, " + answer + " (ms)", "" + took);
    Await.until("both listen at the new master", () -> listening(next) == 2);
    long longest = handOver(next, holder, List.of(waiter), name + "-next");
    assertTrue(longest < POLLED_MILLIS, "a grant took " + longest + " ms, as without messages");
  }

  @Test
  @Rule({"B23", "L9", "L13", "L22"})
  @DisplayName("L9: where a name leads to a replica that is behind, a loss is told, and fenced off")
  void aReplicaThatIsBehind() throws Exception {
    RedisServer old = closing(RedisServer.start());
    RedisServer next = replica(old);
    CommandProxy proxy = closing(CommandProxy.to(old, command -> command));
    FencedLock theirs = service(proxy.uri()).getFencedLock(name);
    LockService careful = closing(acked(proxy.uri()));
    ConcurrentLinkedQueue<LeaseState> told = new ConcurrentLinkedQueue<>();
    FencedLock mine = service(proxy.uri()).getFencedLock(name);
    mine.onLeaseChange(event -> told.add(event.state()));

    next.command("REPLICAOF", "NO", "ONE"); // it gets no more writes
    long lost = mine.lockAndGetToken();
    assertThrows(NotReplicatedException.class, () -> careful.getLock(name + "-acked").tryLock());
    proxy.leadTo(next);
    old.command("REPLICAOF", next.host(), String.valueOf(next.port()));

    assertTrue(theirs.tryLock(30, TimeUnit.SECONDS), "the next master knows of no holder");
    long token = theirs.fencingToken();
    assertTrue(lost < token, () -> lost + ", and then " + token);
    KeyGuard guard = KeyGuard.of(closing(open(proxy.uri())), theirs);
    guard.set('{' + name + "}:guarded", "new", token);
    assertThrows(StaleTokenException.class, () -> guard.set('{' + name + "}:guarded", "old", lost));
    Await.until("the first holder is told", () -> told.contains(LeaseState.LOST));
    assertThrows(LeaseLostException.class, mine::unlock);
    theirs.unlock();
  }

  private LockService acked(URI uri) {
    return LockService.builder()
        .sharedBackend(closing(open(uri)))
        .replicaAcks(1, Duration.ofMillis(300))
        .open();
  }

  private static int listening(RedisServer server) {
    Object channels = server.command("PUBSUB", "CHANNELS", "mortise:mail:*");
    return channels instanceof List<?> list ? list.size() : 0;
  }

  // Refused commands

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server without HELLO is used by the older protocol, and INFO tells of it")
  void helloIsUnknown() throws Exception {
    RedisServer mute =
        closing(
            RedisServer.builder()
                .arguments("--rename-command", "HELLO", "")
                .arguments("--user", "locks", "on", ">secret", "~*", "&*", "+@all")
                .start());
    worksWithoutHello(mute.uri("locks:secret"));
    BackendException wrong =
        assertThrows(BackendException.class, () -> open(mute.uri("locks:other")));
    assertTrue(String.valueOf(wrong.getMessage()).contains("WRONGPASS"), wrong::toString);
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server that knows only the older protocol is used by it")
  void helloIsRefused() throws Exception {
    CommandProxy proxy =
        closing(
            CommandProxy.to(
                server(),
                words ->
                    words.size() > 1 && words.subList(0, 2).equals(List.of("HELLO", "3"))
                        ? CommandProxy.refusal("NOPROTO unsupported protocol version")
                        : words));
    worksWithoutHello(proxy.uri());
  }

  private void worksWithoutHello(URI uri) throws Exception {
    LockService service = service(uri);
    DistributedLock lock = service.getLock(name);
    lock.lock();
    DistributedLock theirs = service(uri).getLock(name);
    long[] insideAt = {0};
    Crew waiter =
        Crew.start(
            ThreadKind.PLATFORM,
            1,
            any -> {
              theirs.lock();
              insideAt[0] = System.nanoTime();
              theirs.unlock();
            });
    Await.until("its place is in the queue", () -> lock.getQueueLength() == 1);
    long freedAt = System.nanoTime();
    lock.unlock();
    waiter.join(Duration.ofSeconds(30));
    assertTrue(insideAt[0] - freedAt < POLLED_MILLIS * 1_000_000, "it was granted by message");
    String version = closing(open(uri)).info().serverVersion();
    assertTrue(version.matches("\\d+\\.\\d+\\..*"), version);
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: without HELLO a replica is refused all the same")
  void aReplicaWithoutHello() {
    RedisServer replica = replica(server(), "--rename-command", "HELLO", "");
    BackendException refusal = assertThrows(BackendException.class, () -> open(replica.uri()));
    assertTrue(String.valueOf(refusal.getMessage()).contains("replica"), refusal::toString);
  }

  @OnEachServer
  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: a server without scripts is refused when the service opens, by the command")
  void withoutScripts() {
    RedisServer bare =
        closing(
            RedisServer.builder()
                .arguments("--rename-command", "EVALSHA", "", "--rename-command", "EVAL", "")
                .start());
    BackendUnavailableException refusal =
        assertThrows(BackendUnavailableException.class, () -> service(bare.uri()));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("refused EVALSHA, which locks need: ERR unknown"), message);
  }

  @OnEachServer
  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: a server without pub/sub is refused when the service opens, with a next step")
  void withoutPubSub() {
    RedisServer mute =
        closing(RedisServer.builder().arguments("--rename-command", "SUBSCRIBE", "").start());
    long start = System.nanoTime();
    BackendUnavailableException refusal =
        assertThrows(BackendUnavailableException.class, () -> service(mute.uri()));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains(mute.host() + ":" + mute.port()), message);
    assertTrue(message.matches("(?is).*ERR unknown command .?SUBSCRIBE.*"), message);
    assertTrue(message.contains("has no pub/sub, which locks need; use another one"), message);
    assertFalse(message.contains("check that every server is reached"), message);
    long seconds = (System.nanoTime() - start) / 1_000_000_000;
    assertTrue(
        seconds < 10, "the refusal is not tried again until the opening is over: " + seconds);
  }
}
