package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random commands of six threads on one lock or semaphore. In the middle of scripts the server's
 * clock steps back by more than any expiry. If a reply or a message says that a thread holds the
 * lock, then it does. It is the only holder, or one of as many as there are permits.
 */
class ClockStepTest implements BackendUnderTest {
  private static final int ROUNDS = 40;
  private static final int COMMANDS = 60;

  /** The latest command at which the clock steps. About half of the scripts get that far. */
  private static final int LATEST_STEP = 30;

  private static final String LEASE = "600000";
  private static final int PERMITS = 2;
  private static final Duration STEP = Duration.ofDays(-8);

  /** The writer or holder, the readers or permits, and the number of their keys without expiry. */
  private static final String LOOK =
      """
      local eternal = 0
      for _, key in ipairs(KEYS) do
        if redis.call('PTTL', key) == -1 then eternal = eternal + 1 end
      end
      return {redis.call('HKEYS', KEYS[1]), redis.call('ZRANGE', KEYS[2], 0, -1), eternal}
      """;

  /** The kinds of lock. */
  enum Kind {
    PLAIN("", "try"),
    FAIR("", "fair"),
    FENCED("", "try"),
    SHARED("", "try"),
    READ_WRITE("rw-", "try"),
    SEMAPHORE("sem-", "try");

    private final String family;
    private final String attempt;

    Kind(String family, String attempt) {
      this.family = family;
      this.attempt = attempt;
    }

    /** Sends every script of its kind. */
    void use(LockService service) throws InterruptedException {
      if (this == SEMAPHORE) {
        DistributedSemaphore semaphore = service.getSemaphore("x");
        semaphore.resize(1);
        semaphore.acquire().close();
        boolean unused = semaphore.forceRelease();
        return;
      }
      DistributedLock lock =
          switch (this) {
            case FENCED -> service.getFencedLock("x");
            case READ_WRITE -> service.getReadWriteLock("x").writeLock();
            default -> service.getLock("x");
          };
      lock.lock();
      lock.unlock();
      boolean unused = lock.forceUnlock();
    }

    /** The suffix of an acquisition id. */
    String ending(Random random) {
      String named = this == FENCED || this == SHARED || random.nextBoolean() ? "" : ":n";
      return switch (this) {
        case PLAIN -> List.of("", ":n", ":k", ":i").get(random.nextInt(4));
        case READ_WRITE -> named + (random.nextBoolean() ? ":r" : "");
        case SEMAPHORE -> named + ":p1";
        default -> named;
      };
    }
  }

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockBackend backend = store.backend();
  private final Map<String, ScriptCall> calls = new HashMap<>();
  private final Set<String> told = new HashSet<>();
  private final Set<String> forced = new HashSet<>();
  private final Deque<String> history = new ArrayDeque<>();
  private final List<Party> parties = IntStream.range(0, 6).mapToObj(Party::new).toList();
  private int toStep = Integer.MAX_VALUE;
  private int steps;

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    backend.close();
  }

  /** One thread of a process of two, with the id it holds or waits for. */
  private static final class Party {
    final String process;
    final int thread;
    int sequence;
    @Nullable String id;

    Party(int thread) {
      process = "p" + thread / 2;
      this.thread = thread;
    }

    String next(Kind kind, Random random) {
      return process + ':' + ++sequence + thread + ':' + thread + kind.ending(random);
    }
  }

  /** A client that is its own process, and records its commands. */
  private LockBackend recording() {
    return (LockBackend)
        Proxy.newProxyInstance(
            LockBackend.class.getClassLoader(),
            new Class<?>[] {LockBackend.class},
            (proxy, method, args) -> {
              if (args != null && args[0] instanceof ScriptCall call) {
                calls.put(call.script().name(), call);
              }
              try {
                return method.invoke(backend, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void learn(Kind kind) throws InterruptedException {
    try (LockService service =
        LockService.builder()
            .sharedBackend(recording())
            .redissonInterop(kind == Kind.SHARED)
            .open()) {
      kind.use(service);
    }
    calls.keySet().removeIf(name -> !name.startsWith(kind.family));
    for (String process : List.of("p0", "p1", "p2")) {
      backend.subscribe("mortise:mail:" + process, new Mail());
    }
    store.server().beforeEachCommand(this::stepOnce);
  }

  private void stepOnce() {
    if (toStep-- == 0) {
      store.server().stepClock(STEP);
      steps++;
    }
  }

  private final class Mail implements ChannelListener {
    @Override
    public void onSubscribed() {}

    @Override
    public void onMessage(String message) {
      String id = message.split("\\|", -1)[1];
      history.add(message);
      if (message.startsWith("grant")) {
        told.add(id);
      } else if (message.startsWith("lost")) {
        told.remove(id);
      }
    }

    @Override
    public void onInterrupted(Throwable cause) {}
  }

  private ScriptCall learnt(Kind kind, String script) {
    return Objects.requireNonNull(calls.get(kind.family + script), script);
  }

  private List<Object> send(Kind kind, String script, String id, String word) {
    ScriptCall learnt = learnt(kind, script);
    List<String> args = new ArrayList<>(learnt.args());
    String[] terms = args.get(1).split(" ", 5);
    args.set(0, id);
    args.set(1, String.join(" ", word, LEASE, LEASE, "0", terms[4]));
    if (script.equals("acquire")) {
      args.set(2, LEASE);
    } else if (script.equals("permits")) {
      args.set(2, Integer.toString(PERMITS));
    }
    List<Object> reply =
        backend.execute(
            new ScriptCall(learnt.script(), learnt.keys(), args, Duration.ofSeconds(2)));
    history.add(script + ' ' + id + ' ' + word + " -> " + reply);
    while (history.size() > 12) {
      history.removeFirst();
    }
    return reply;
  }

  private void acquire(Kind kind, Party party, String id, String word) {
    List<Object> reply = send(kind, "acquire", id, word);
    Object code = reply.get(0);
    boolean held = code instanceof Long || code.equals("HELD");
    if (held) {
      told.add(id);
    }
    boolean out = code.equals("TOO_LATE") && forced.contains(id);
    assertTrue(held || out || code.equals("WAIT") || code.equals("BUSY"), history::toString);
    party.id = held || code.equals("WAIT") ? id : null;
  }

  private void leave(Kind kind, Party party, String id) {
    boolean held = told.remove(id);
    party.id = null;
    List<Object> reply = send(kind, "leave", id, kind == Kind.SHARED ? "-" : LEASE);
    boolean released = reply.get(0).equals(1L) || reply.get(0).equals("RELEASED");
    assertEquals(held, released, history::toString);
    reply.stream().skip(2).forEach(named -> told.add((String) named));
  }

  private void act(Kind kind, Party party, Random random) {
    String id = party.id;
    if (random.nextInt(20) == 0) {
      boolean readers = kind == Kind.READ_WRITE && random.nextBoolean();
      send(kind, "force", readers ? ":r" : "", "-").stream()
          .skip(1)
          .forEach(out -> forced.add((String) out));
    } else if (random.nextInt(20) == 0) {
      end(kind);
    } else if (id == null) {
      String word = random.nextInt(3) == 0 ? kind.attempt : "join";
      acquire(kind, party, party.next(kind, random), word);
    } else if (random.nextInt(told.contains(id) ? 2 : 5) == 0) {
      leave(kind, party, id);
    } else {
      acquire(kind, party, id, "join");
    }
  }

  /** Ends all leases. */
  private void end(Kind kind) {
    told.clear();
    int at = toStep;
    toStep = Integer.MAX_VALUE;
    List<Object> deleted = look(kind, "return {redis.call('DEL', KEYS[1], KEYS[2])}");
    assertEquals(1, deleted.size());
    toStep = at;
    if (kind == Kind.SEMAPHORE) {
      assertEquals(List.of("SET"), send(kind, "permits", "", "resize"));
    }
  }

  private List<Object> look(Kind kind, String script) {
    List<String> keys = learnt(kind, "acquire").keys();
    List<String> looked =
        switch (kind) {
          case READ_WRITE -> List.of(keys.get(0), keys.get(3));
          case SEMAPHORE -> List.of("none", keys.get(0));
          default -> List.of(keys.get(0), "none");
        };
    return backend.execute(
        new ScriptCall(Script.of("look", script), looked, List.of(), Duration.ofSeconds(2)));
  }

  private void check(Kind kind) {
    toStep = Integer.MAX_VALUE;
    List<Object> seen = look(kind, LOOK);
    List<?> one = (List<?>) seen.get(0);
    List<?> many = (List<?>) seen.get(1);
    assertTrue(one.size() <= 1, () -> seen + " after " + history);
    assertTrue(one.isEmpty() || many.isEmpty(), () -> seen + " after " + history);
    assertTrue(
        kind != Kind.SEMAPHORE || many.size() <= 2 + PERMITS, () -> seen + " after " + history);
    for (String id : told) {
      assertTrue(
          one.contains(id) || many.contains(id),
          () -> id + " was granted the lock, the holders are " + seen + " after " + history);
    }
    assertEquals(0L, seen.get(2), history::toString);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L1")
  void aThreadThatIsGrantedTheLockHoldsItAlone(Kind kind) throws InterruptedException {
    learn(kind);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      end(kind);
      history.clear();
      history.add("seed " + seed);
      parties.forEach(party -> party.id = null);
      for (int i = 0; i < COMMANDS; i++) {
        toStep = random.nextInt(LATEST_STEP);
        act(kind, parties.get(random.nextInt(parties.size())), random);
        check(kind);
      }
    }
    assertTrue(steps > ROUNDS, "steps: " + steps);
  }
}
