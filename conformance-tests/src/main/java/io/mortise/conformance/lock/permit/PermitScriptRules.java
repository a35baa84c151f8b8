package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.Posts;
import io.mortise.conformance.lock.fixture.Terms;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The semaphore's scripts under random commands. After each command the test checks the store. */
public abstract class PermitScriptRules extends SyncFixture {
  private static final int COMMANDS = 400;

  /** How many there are at most, as long as no reply has let a waiter in. */
  private static final int MOST = 20 * COMMANDS;

  private static final String LEASE = "600000";
  private static final String LOOK =
      """
      return {redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES'),
          redis.call('ZRANGE', KEYS[2], 0, '+inf', 'BYSCORE'),
          redis.call('ZRANGE', KEYS[2], '-inf', '(0', 'BYSCORE')}
      """;

  private final FaultyBackend engine = new FaultyBackend(this::backend);
  private final LockBackend store = backend();
  private final Deque<String> history = new ArrayDeque<>();
  private final Map<Integer, String> inside = new HashMap<>();
  private final Map<Integer, String> waiting = new HashMap<>();

  /** How many permits the ids that hold some have given back. */
  private final Map<String, Integer> given = new HashMap<>();

  private int total = 4;
  private int sequence;

  /** How many waiters got permits by the reply to another party of their process. */
  private int letIn;

  protected PermitScriptRules(LockKit kit) {
    super(kit, "sem");
  }

  private List<Object> execute(Script script, List<String> args) {
    List<String> keys = List.of(key("permits"), key("queue"), key("alive"));
    ScriptCall call = new ScriptCall(script, keys, args, SECOND.multipliedBy(2));
    return Posts.of(store.execute(call)).reply();
  }

  /** Sends a script with the engine's terms, apart from the word. No waiter is passed over. */
  private String send(String script, String id, String word, String... more) {
    ScriptCall learnt = engine.last(script);
    Terms terms = Terms.of(learnt.args()).times(LEASE, LEASE).notCounting().word(word);
    List<String> args = new ArrayList<>(List.of(id, terms.text()));
    args.addAll(List.of(more));
    List<Object> answer = execute(learnt.script(), args);
    boolean lists = script.equals("sem-leave") || script.equals("sem-return");
    answer.stream().skip(2).filter(one -> lists).forEach(this::letIn);
    Object code = answer.get(0);
    String done = script.equals("sem-acquire") ? "HELD" : "RELEASED";
    String reply = code.equals(1L) ? done : (String) code;
    history.add(script + ' ' + args + " -> " + reply);
    if (history.size() > 40) {
      history.removeFirst();
    }
    return reply;
  }

  /** Notes that a reply granted permits to a waiter of the caller's process. */
  private void letIn(Object id) {
    int party =
        waiting.entrySet().stream()
            .filter(one -> one.getValue().equals(id))
            .findFirst()
            .orElseThrow()
            .getKey();
    waiting.remove(party);
    inside.put(party, (String) id);
    letIn++;
  }

  private void acquire(int party, String id, boolean join) {
    String reply = send("sem-acquire", id, join ? "join" : "try", LEASE);
    waiting.remove(party);
    if (reply.equals("HELD")) {
      inside.put(party, id);
    } else if (reply.equals("WAIT")) {
      waiting.put(party, id);
    } else {
      assertTrue(reply.equals(weight(id) > total ? "TOO_MANY" : "BUSY"), history::toString);
      leave(id);
    }
  }

  private String leave(String id) {
    return send("sem-leave", id, sequence % 3 == 0 ? "-" : LEASE);
  }

  /** Gives back so many in all; sometimes it gave back more before. */
  private void giveBack(String id, int sum) {
    given.merge(id, sum, Math::max);
    String reply = send("sem-return", id, sequence % 3 == 0 ? "-" : LEASE, Integer.toString(sum));
    assertEquals("RELEASED", reply, history::toString);
  }

  /** One random thing that a party could do now. */
  private void step(int party, Random random) {
    String waits = waiting.get(party);
    String holds = inside.get(party);
    if (random.nextInt(25) == 0) {
      total = 1 + random.nextInt(6);
      send("sem-permits", "", "resize", Integer.toString(total));
    } else if (waits != null && random.nextInt(5) == 0) {
      waiting.remove(party);
      leave(waits);
    } else if (waits != null) {
      acquire(party, waits, true);
    } else if (holds != null && weight(holds) > 1 && random.nextInt(3) == 0) {
      giveBack(holds, 1 + random.nextInt(weight(holds) - 1));
    } else if (holds != null && random.nextInt(4) == 0) {
      acquire(party, holds, random.nextBoolean()); // again, as if its reply had been lost
    } else if (holds != null) {
      inside.remove(party);
      given.remove(holds);
      assertEquals("RELEASED", leave(holds), history::toString);
    } else {
      String named = random.nextInt(4) > 0 ? ":n" : "";
      String id =
          name + '~' + party / 3 + ':' + ++sequence + ":1" + named + ":p" + (1 + random.nextInt(4));
      acquire(party, id, random.nextInt(4) > 0);
    }
  }

  private static int weight(String id) {
    return Integer.parseInt(id.substring(id.lastIndexOf('p') + 1));
  }

  private void check() {
    List<Object> seen = execute(Script.of("look", LOOK), List.of());
    Map<String, Long> scores = new HashMap<>();
    List<?> members = (List<?>) seen.get(0);
    for (int i = 0; i < members.size(); i += 2) {
      scores.put((String) members.get(i), Long.valueOf((String) members.get(i + 1)));
    }
    List<String> line = ((List<?>) seen.get(1)).stream().map(String::valueOf).toList();
    assertEquals(total, scores.remove("!total"), history::toString);
    long free = scores.getOrDefault("!free", Long.MAX_VALUE);
    scores.remove("!free");
    int used = 0;
    for (String member : scores.keySet()) {
      if (!member.startsWith("-")) {
        used += weight(member) - given.getOrDefault(member, 0);
      }
    }
    assertEquals(total - used, free, () -> scores + " after " + history);
    given.forEach((id, back) -> assertEquals(4_000_000_000_000_000L + back, scores.get('-' + id)));
    if (!line.isEmpty()) {
      int first = weight(line.get(0));
      assertTrue(first > free && first <= total, () -> line + " " + scores + " after " + history);
    }
    for (Object granted : (List<?>) seen.get(2)) {
      assertTrue(scores.containsKey(granted), () -> granted + " " + scores + " " + history);
    }
    inside
        .values()
        .forEach(id -> assertTrue(scores.containsKey(id), () -> id + " " + scores + " " + history));
  }

  @Test
  @Rule({"S1", "S2", "S3", "L10"})
  void afterEveryCommandTheSumIsRightAndTheFirstWaiterHasNoRoom() {
    var semaphore = service(engine, builder -> builder.leaseTime(LONG)).getSemaphore(name);
    semaphore.resize(total);
    Lease two = take(semaphore, 2);
    two.release(1);
    two.close(); // the service has sent the scripts now
    long seed = System.nanoTime();
    Random random = new Random(seed);
    history.add("seed " + seed);
    List<Integer> parties = IntStream.range(0, 8).boxed().toList();
    for (int i = 0; i < COMMANDS || (letIn == 0 && i < MOST); i++) {
      step(parties.get(random.nextInt(parties.size())), random);
      check();
    }
    assertTrue(letIn > 0, "no reply let a waiter in");
  }
}
