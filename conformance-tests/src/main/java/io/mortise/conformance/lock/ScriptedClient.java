package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.conformance.support.Await;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A process that the test plays: it sends the engine's scripts with arguments of its own, and
 * leaves its mail unanswered. So it can be frozen, late or dead, and its grants can be short.
 */
final class ScriptedClient {
  /** What it grants lasts so long. */
  static final Duration WINDOW = Duration.ofMillis(300);

  private static final Duration LEASE = Duration.ofMinutes(10);

  private final LockBackend store;
  private final FaultyBackend engine;
  private final List<String> keys;
  private final String box;
  private final String suffix;
  private final String scripts;
  private final Map<Integer, String> tickets = new HashMap<>();
  private final List<String> mail = new CopyOnWriteArrayList<>();
  private Duration lease = LEASE;
  private Duration alive = Duration.ofSeconds(10);
  private boolean counts = true;

  /**
   * A process without a mailbox.
   *
   * @param engine through which a service has sent the scripts
   * @param lock the lock's name
   */
  ScriptedClient(LockBackend store, FaultyBackend engine, String lock, String box) {
    this(store, engine, box, keys("mortise:", lock), "", "");
  }

  private ScriptedClient(
      LockBackend store,
      FaultyBackend engine,
      String box,
      List<String> keys,
      String suffix,
      String scripts) {
    this.store = store;
    this.engine = engine;
    this.box = box;
    this.keys = keys;
    this.suffix = suffix;
    this.scripts = scripts;
  }

  /** A process without a mailbox, which only reads, or only writes, by a read/write lock. */
  static ScriptedClient of(
      LockBackend store, FaultyBackend engine, String lock, String box, boolean reads) {
    List<String> keys = new ArrayList<>(keys("mortise:rw:", lock));
    keys.add("mortise:rw:readers:{" + lock + '}');
    return new ScriptedClient(store, engine, box, keys, reads ? ":r" : "", "rw-");
  }

  /** A process without a mailbox, which wants so many permits of a semaphore each time. */
  static ScriptedClient of(
      LockBackend store, FaultyBackend engine, String semaphore, String box, int permits) {
    List<String> keys = new ArrayList<>(keys("mortise:sem:", semaphore));
    keys.set(0, "mortise:sem:permits:{" + semaphore + '}');
    return new ScriptedClient(store, engine, box, keys, ":p" + permits, "sem-");
  }

  private static List<String> keys(String prefix, String lock) {
    String slot = ":{" + lock + '}';
    return List.of(prefix + "lock" + slot, prefix + "queue" + slot, prefix + "alive" + slot);
  }

  /** Opens its mailbox. */
  ScriptedClient listening() {
    AtomicBoolean subscribed = new AtomicBoolean();
    store.subscribe(
        "mortise:mail:" + box,
        new ChannelListener() {
          @Override
          public void onSubscribed() {
            subscribed.set(true);
          }

          @Override
          public void onMessage(String message) {
            mail.add(message);
          }

          @Override
          public void onInterrupted(Throwable cause) {}
        });
    Await.until("the mailbox is open", subscribed::get);
    return this;
  }

  /** What it holds ends after so long. */
  ScriptedClient lease(Duration time) {
    lease = time;
    return this;
  }

  /** Its waiters count as gone after so long. */
  ScriptedClient alive(Duration time) {
    alive = time;
    return this;
  }

  /** It does not trust the number of receivers that PUBLISH replies. */
  ScriptedClient notCounting() {
    counts = false;
    return this;
  }

  String id(int number) {
    return box + ':' + number + ":1" + suffix;
  }

  /** Waits for that many messages, each kind, id, lock key; there must not be more. */
  List<String> awaitMail(int messages) {
    Await.until(messages + " messages", () -> mail.size() >= messages);
    assertEquals(messages, mail.size(), mail::toString);
    return mail;
  }

  /** Takes the lock, and is told HELD, or joins the queue, with the ticket of an earlier answer. */
  List<Object> ask(int number) {
    String terms = terms("acquire").word("join").text();
    String ticket = tickets.getOrDefault(number, "");
    List<Object> reply = run("acquire", List.of(id(number), terms, millis(lease), ticket));
    if (reply.get(0).equals("WAIT")) {
      tickets.put(number, reply.get(2).toString());
    }
    return reply.equals(List.of(1L)) ? List.of("HELD") : reply;
  }

  /** Asks, and is in the queue. */
  void assertWaits(int number) {
    assertEquals("WAIT", ask(number).get(0));
  }

  void leave(int number) {
    List<Object> unused = run("leave", List.of(id(number), terms("leave").text()));
  }

  private Terms terms(String script) {
    Terms learnt = Terms.of(engine.last(scripts + script).args());
    Terms own = learnt.times(millis(alive), millis(WINDOW));
    return counts ? own : own.notCounting();
  }

  private List<Object> run(String script, List<String> args) {
    ScriptCall sent = engine.last(scripts + script);
    return store.execute(new ScriptCall(sent.script(), keys, args, Duration.ofSeconds(2)));
  }

  private static String millis(Duration duration) {
    return Long.toString(duration.toMillis());
  }
}
