package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedReadWriteLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.Posts;
import io.mortise.conformance.lock.fixture.Terms;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts of the read/write lock under random commands of eight threads. After each command the
 * test checks in the store what must hold.
 */
public abstract class ReaderScriptRules extends ReadWriteFixture {
  private static final int COMMANDS = 1500;

  /** How many there are at most, as long as no reply has let a waiter in. */
  private static final int MOST = 20 * COMMANDS;

  private static final String LEASE = "600000";

  /**
   * The writer, the readers, those that wait, how many keys have no expiry, and those that were
   * granted the lock and have not confirmed it.
   */
  private static final String LOOK =
      """
      local eternal = 0
      for _, key in ipairs(KEYS) do
        if redis.call('PTTL', key) == -1 then eternal = eternal + 1 end
      end
      return {redis.call('HKEYS', KEYS[1]), redis.call('ZRANGE', KEYS[4], 0, -1),
          redis.call('ZRANGE', KEYS[2], 0, '+inf', 'BYSCORE'), eternal,
          redis.call('ZRANGE', KEYS[2], '-inf', '(0', 'BYSCORE')}
      """;

  private final FaultyBackend engine = new FaultyBackend(this::backend);
  private final LockBackend store = backend();
  private final Deque<String> history = new ArrayDeque<>();
  private int letIn;
  private final List<Party> parties = IntStream.range(0, 8).mapToObj(this::party).toList();

  protected ReaderScriptRules(LockKit kit) {
    super(kit);
  }

  @BeforeEach
  void learnTheScripts() {
    DistributedReadWriteLock rw = rw(engine);
    rw.writeLock().lock();
    rw.writeLock().unlock();
  }

  /** Two threads each share a process. */
  private Party party(int thread) {
    return new Party(name + '~' + thread / 2, thread);
  }

  /** What one thread holds or waits for. */
  private static final class Party {
    final String process;
    final int thread;
    int sequence;
    @Nullable String reading;
    @Nullable String writing;
    @Nullable String waiting;

    Party(String process, int thread) {
      this.process = process;
      this.thread = thread;
    }

    String next(boolean reads, boolean named) {
      sequence += 10;
      String id = process + ":" + (sequence + thread) + ":" + thread;
      return id + (named ? ":n" : "") + (reads ? ":r" : "");
    }

    static String threadOf(String id) {
      return id.split(":", -1)[2];
    }

    static String orEmpty(@Nullable String id) {
      return id == null ? "" : id;
    }
  }

  private record State(
      Set<String> writer,
      Set<String> readers,
      List<String> line,
      long eternal,
      List<String> unconfirmed) {}

  private List<Object> execute(Script script, List<String> args) {
    List<String> keys = List.of(key("lock"), key("queue"), key("alive"), key("readers"));
    ScriptCall call = new ScriptCall(script, keys, args, SECOND.multipliedBy(2));
    return Posts.of(store.execute(call)).reply();
  }

  private State look() {
    List<Object> seen = execute(Script.of("look", LOOK), List.of());
    return new State(
        new HashSet<>(texts(seen.get(0))),
        new HashSet<>(texts(seen.get(1))),
        texts(seen.get(2)),
        (Long) seen.get(3),
        texts(seen.get(4)));
  }

  private static List<String> texts(Object array) {
    return ((List<?>) array).stream().map(String::valueOf).toList();
  }

  private String send(String script, int number, String first, String mode, String beside) {
    ScriptCall learnt = engine.last(script);
    boolean acquires = script.equals("rw-acquire");
    Terms terms = Terms.of(learnt.args()).times(LEASE, LEASE).notCounting().word(mode);
    List<String> args =
        acquires ? List.of(first, terms.text(), LEASE, "", beside) : List.of(first, terms.text());
    List<Object> answer = execute(learnt.script(), args);
    Object code = answer.get(0);
    String done = acquires ? "HELD" : "RELEASED";
    String reply = code.equals(1L) ? done : (String) code;
    history.add(number + ": " + script + ' ' + first + ' ' + mode + ' ' + beside + " -> " + reply);
    if (history.size() > 12) {
      history.removeFirst();
    }
    answer.stream().skip(acquires ? answer.size() : 2).forEach(this::letIn);
    return reply;
  }

  /** Notes that the reply to a release granted the lock to a thread of its process. */
  private void letIn(Object id) {
    Party named =
        parties.stream().filter(party -> id.equals(party.waiting)).findFirst().orElseThrow();
    take(named, (String) id, "HELD");
    letIn++;
  }

  /** One random thing that a thread of the engine could do now. */
  private void step(Party party, int number, Random random) {
    String waiting = party.waiting;
    String reading = party.reading;
    String writing = party.writing;
    if (waiting != null) {
      if (random.nextInt(5) == 0) {
        party.waiting = null;
        String unused = send("rw-leave", number, waiting, "-", "");
      } else {
        take(party, waiting, send("rw-acquire", number, waiting, "join", ""));
      }
    } else if (reading != null && random.nextBoolean()) {
      party.reading = null;
      assertEquals("RELEASED", send("rw-leave", number, reading, LEASE, ""), history::toString);
    } else if (writing != null && random.nextBoolean()) {
      party.writing = null;
      assertEquals("RELEASED", send("rw-leave", number, writing, LEASE, ""), history::toString);
    } else {
      acquire(party, number, random);
    }
  }

  private void acquire(Party party, int number, Random random) {
    boolean reads = party.reading == null && (party.writing != null || random.nextBoolean());
    if (!reads && party.writing != null) {
      return;
    }
    boolean upgrades = !reads && party.reading != null;
    String mode = upgrades || random.nextInt(4) == 0 ? "try" : "join";
    String beside = Party.orEmpty(reads ? party.writing : party.reading);
    String id = party.next(reads, random.nextInt(4) > 0);
    String reply = send("rw-acquire", number, id, mode, beside);
    assertTrue(!reads || beside.isEmpty() || reply.equals("HELD"), history::toString);
    take(party, id, reply);
  }

  private void take(Party party, String id, String reply) {
    boolean held = reply.equals("HELD");
    assertTrue(!reply.equals("WAIT") || look().line.contains(id), history::toString);
    party.waiting = reply.equals("WAIT") ? id : null;
    if (held && id.endsWith(":r")) {
      party.reading = id;
    } else if (held) {
      party.writing = id;
    }
  }

  private void check() {
    State state = look();
    assertTrue(state.writer.size() <= 1, () -> state + " after " + history);
    for (String writer : state.writer) {
      String own = Party.threadOf(writer);
      assertTrue(
          state.readers.stream().allMatch(reader -> Party.threadOf(reader).equals(own)),
          () -> state + " after " + history);
    }
    if (!state.line.isEmpty()) {
      boolean reads = state.line.get(0).endsWith(":r");
      boolean room = state.writer.isEmpty() && (reads || state.readers.isEmpty());
      assertTrue(
          !room, () -> "the first waiter could hold the lock: " + state + " after " + history);
    }
    assertEquals(0, state.eternal, history::toString);
    Set<String> inside = new HashSet<>(state.writer);
    inside.addAll(state.readers);
    assertTrue(inside.containsAll(state.unconfirmed), () -> state + " after " + history);
    for (Party party : parties) {
      assertTrue(party.reading == null || inside.contains(party.reading), history::toString);
      assertTrue(party.writing == null || inside.contains(party.writing), history::toString);
      String waits = party.waiting;
      assertTrue(
          waits == null || inside.contains(waits) || state.line.contains(waits), history::toString);
    }
  }

  @Test
  @Rule({"L1", "L10", "L11", "L15"})
  void afterEveryCommandHoldersExcludeEachOtherAndTheFirstWaiterHasNoRoom() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    history.add("seed " + seed);
    for (int i = 0; i < COMMANDS || (letIn == 0 && i < MOST); i++) {
      int number = random.nextInt(parties.size());
      step(parties.get(number), number, random);
      check();
    }
    assertTrue(letIn > 0, "no reply has granted the lock");
  }
}
