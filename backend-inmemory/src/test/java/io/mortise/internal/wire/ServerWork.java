package io.mortise.internal.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The scripts, each in its ways. A new script, or a new way through one, gets a row here and one in
 * {@code docs/server-work.md}.
 */
final class ServerWork {
  /**
   * One way through a script.
   *
   * @param script the script's name
   * @param text what is special about this way
   * @param before what happens before, by the same and other scripts
   * @param measured the script in this way
   */
  record Way(
      String script, String text, Consumer<ScriptStage> before, Consumer<ScriptStage> measured) {
    ScriptStage play(ScriptStage stage) {
      before.accept(stage);
      stage.later();
      measured.accept(stage);
      return stage;
    }

    @Override
    public String toString() {
      return script + ": " + text;
    }
  }

  /** An acquisition of service a or b that hears that it is wanted. */
  private static final String A = "a:1:1:k";

  private static final String B = "b:1:1:k";

  /** Acquisitions of a fair lock: a reply may grant to them. */
  private static final String A_FAIR = "a:1:1:n";

  private static final String A_NEXT = "a:2:2:n";
  private static final String B_FAIR = "b:1:1:n";

  private static final String READER = "a:1:1:n:r";
  private static final String B_READER = "b:1:1:n:r";
  private static final String PERMIT = "a:1:1:n:p1";
  private static final String A_NEXT_PERMIT = "a:2:2:n:p1";
  private static final String B_PERMIT = "b:1:1:n:p1";
  private static final String THREE = "a:3:1:n:p3";

  /** Acquisitions of a fenced lock. */
  private static final String TOKEN = "a:8:1";

  private static final String B_TOKEN = "b:8:1";
  private static final String STEP = "a:4:1";

  private final List<Way> ways = new ArrayList<>();

  private ServerWork() {
    plain();
    leaving();
    fair();
    fenced();
    redisson();
    readWrite();
    readWriteLeaving();
    semaphore();
    latch();
    conditions();
    together();
    others();
  }

  static List<Way> ways() {
    return new ServerWork().ways;
  }

  /** The ways of which a hand-over from one service to another is made, in their order. */
  static Map<String, List<String>> handOvers() {
    Map<String, List<String>> handOvers = new LinkedHashMap<>();
    handOvers.put(
        "plain",
        List.of(
            "acquire: free",
            "acquire: held alone: asks for it, joins",
            "leave: holds: grants to the first",
            "acquire: confirms a grant",
            "leave: holds, nobody waits"));
    handOvers.put(
        "plain, again and again",
        List.of(
            "acquire: granted, not confirmed: another joins",
            "acquire: confirms a grant",
            "leave: holds: grants to the first"));
    handOvers.put(
        "write",
        List.of(
            "rw-acquire: a writer, free",
            "rw-acquire: a writer joins behind a writer",
            "rw-leave: a writer: grants to a writer",
            "rw-acquire: a writer confirms a grant",
            "rw-leave: a writer, nobody waits"));
    handOvers.put(
        "permit",
        List.of(
            "sem-acquire: free",
            "sem-acquire: joins",
            "sem-leave: grants",
            "sem-acquire: confirms a grant",
            "sem-leave: nobody waits"));
    return handOvers;
  }

  private void way(
      String script, String text, Consumer<ScriptStage> before, Consumer<ScriptStage> measured) {
    ways.add(new Way(script, text, before, measured));
  }

  private static void held(ScriptStage s) {
    s.acquire(s.plain(), A);
  }

  private static void waited(ScriptStage s) {
    held(s);
    s.acquire(s.plain(), B);
  }

  private static void granted(ScriptStage s) {
    waited(s);
    s.release(s.plain(), A);
  }

  private void plain() {
    way("acquire", "free", s -> {}, s -> s.acquire(s.plain(), A));
    way("acquire", "held alone: asks for it, joins", s -> held(s), s -> s.acquire(s.plain(), B));
    way(
        "acquire",
        "held, not alone: joins",
        s -> {
          granted(s);
          s.acquire(s.plain(), B);
        },
        s -> s.acquire(s.plain(), A));
    way(
        "acquire",
        "granted, not confirmed: another joins",
        s -> granted(s),
        s -> s.acquire(s.plain(), "a:2:1:k"));
    way("acquire", "held: joins behind others", s -> waited(s), s -> s.acquire(s.plain(), "c:1:1"));
    way("acquire", "waits: asks again", s -> waited(s), s -> s.acquire(s.plain(), B));
    way("acquire", "confirms a grant", s -> granted(s), s -> s.acquire(s.plain(), B));
    way(
        "acquire",
        "confirms a grant, another waits",
        s -> {
          waited(s);
          s.acquire(s.plain(), "c:1:1").release(s.plain(), A);
        },
        s -> s.acquire(s.plain(), B));
    way("acquire", "holds: repeated", s -> held(s), s -> s.acquire(s.plain(), A));
    way(
        "acquire",
        "the lease is over: the first takes it",
        s -> {
          waited(s);
          s.expire(s.plain().lock());
        },
        s -> s.acquire(s.plain(), B));
    way(
        "acquire",
        "the lease is over: grants to the first",
        s -> {
          waited(s);
          s.expire(s.plain().lock());
        },
        s -> s.acquire(s.plain(), A_FAIR));
    way("acquire", "withdrawn before", s -> s.withdraw(s.plain(), A), s -> s.acquire(s.plain(), A));
    way("acquire", "a try, held", s -> waited(s), s -> s.attempt(s.plain(), A_FAIR));
    way("acquire", "a fair try, held", s -> waited(s), s -> s.attempt(s.fair(), A_FAIR));
    way(
        "acquire",
        "a fair try: grants to the first",
        s -> {
          waited(s);
          s.expire(s.plain().lock());
        },
        s -> s.attempt(s.fair(), A_FAIR));
  }

  private void leaving() {
    way("leave", "holds, nobody waits", s -> held(s), s -> s.release(s.plain(), A));
    way("leave", "holds: grants to the first", s -> waited(s), s -> s.release(s.plain(), A));
    way("leave", "waits", s -> waited(s), s -> s.release(s.plain(), B));
    way("leave", "granted, gives it back", s -> granted(s), s -> s.release(s.plain(), B));
    way("leave", "neither", s -> waited(s), s -> s.release(s.plain(), "c:1:1"));
    way("leave", "holds, may arrive late", s -> held(s), s -> s.withdraw(s.plain(), A));
    way("leave", "waits, may arrive late", s -> waited(s), s -> s.withdraw(s.plain(), B));
    way(
        "leave",
        "holds: the first is deaf, grants to the second",
        s -> {
          held(s);
          s.acquire(s.plain(), "c:1:1").acquire(s.plain(), B);
        },
        s -> s.release(s.plain(), A));
    way("linger", "holds", s -> held(s), s -> s.linger(s.plain(), A));
    way("force", "held, nobody waits", s -> held(s), s -> s.force(s.plain()));
    way("force", "held, one waits", s -> waited(s), s -> s.force(s.plain()));
    way("force", "free", s -> {}, s -> s.force(s.plain()));
  }

  private void fair() {
    way(
        "leave",
        "fair: grants in the reply",
        s -> {
          s.acquire(s.fair(), A_FAIR).acquire(s.fair(), A_NEXT);
        },
        s -> s.release(s.fair(), A_FAIR));
    way(
        "leave",
        "fair: grants to another service",
        s -> {
          s.acquire(s.fair(), A_FAIR).acquire(s.fair(), B_FAIR);
        },
        s -> s.release(s.fair(), A_FAIR));
  }

  private void fenced() {
    way("acquire", "fenced, free", s -> {}, s -> s.acquire(s.fenced(), TOKEN));
    way(
        "acquire",
        "fenced: joins",
        s -> s.acquire(s.fenced(), TOKEN),
        s -> s.acquire(s.fenced(), B_TOKEN));
    way(
        "acquire",
        "fenced: confirms a grant",
        s -> s.acquire(s.fenced(), TOKEN).acquire(s.fenced(), B_TOKEN).release(s.fenced(), TOKEN),
        s -> s.acquire(s.fenced(), B_TOKEN));
  }

  private void redisson() {
    way("acquire (shared)", "free", s -> {}, s -> s.acquire(s.redisson(), A));
    way(
        "acquire (shared)",
        "held: joins",
        s -> s.acquire(s.redisson(), A),
        s -> s.acquire(s.redisson(), B));
    way(
        "acquire (shared)",
        "confirms a grant",
        s -> s.acquire(s.redisson(), A).acquire(s.redisson(), B).release(s.redisson(), A),
        s -> s.acquire(s.redisson(), B));
    way(
        "leave (shared)",
        "holds, nobody waits",
        s -> s.acquire(s.redisson(), A),
        s -> s.release(s.redisson(), A));
    way(
        "leave (shared)",
        "holds: grants to the first",
        s -> s.acquire(s.redisson(), A).acquire(s.redisson(), B),
        s -> s.release(s.redisson(), A));
    way(
        "force (shared)",
        "held, one waits",
        s -> s.acquire(s.redisson(), A).acquire(s.redisson(), B),
        s -> s.force(s.redisson()));
  }

  private void readWrite() {
    way("rw-acquire", "a writer, free", s -> {}, s -> s.acquire(s.write(), A_FAIR));
    way("rw-acquire", "a reader, free", s -> {}, s -> s.acquire(s.read(), READER));
    way(
        "rw-acquire",
        "a reader beside another",
        s -> s.acquire(s.read(), B_READER),
        s -> s.acquire(s.read(), READER));
    way(
        "rw-acquire",
        "a writer joins behind a writer",
        s -> s.acquire(s.write(), A_FAIR),
        s -> s.acquire(s.write(), B_FAIR));
    way(
        "rw-acquire",
        "a writer joins behind a reader",
        s -> s.acquire(s.read(), READER),
        s -> s.acquire(s.write(), B_FAIR));
    way(
        "rw-acquire",
        "a reader joins behind a writer",
        s -> s.acquire(s.write(), A_FAIR),
        s -> s.acquire(s.read(), B_READER));
    way(
        "rw-acquire",
        "a writer confirms a grant",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.write(), B_FAIR).release(s.write(), A_FAIR),
        s -> s.acquire(s.write(), B_FAIR));
    way(
        "rw-acquire",
        "a reader confirms a grant",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.read(), B_READER).release(s.write(), A_FAIR),
        s -> s.acquire(s.read(), B_READER));
    way(
        "rw-acquire",
        "a writer also reads",
        s -> s.acquire(s.write(), A_FAIR),
        s -> s.acquireBeside(s.read(), READER, A_FAIR, true));
    way(
        "rw-acquire",
        "the only reader writes",
        s -> s.acquire(s.read(), READER),
        s -> s.acquireBeside(s.write(), A_FAIR, READER, false));
  }

  private void readWriteLeaving() {
    way(
        "rw-leave",
        "a writer, nobody waits",
        s -> s.acquire(s.write(), A_FAIR),
        s -> s.release(s.write(), A_FAIR));
    way(
        "rw-leave",
        "a reader, nobody waits",
        s -> s.acquire(s.read(), READER),
        s -> s.release(s.read(), READER));
    way(
        "rw-leave",
        "a writer: grants to a writer",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.write(), B_FAIR),
        s -> s.release(s.write(), A_FAIR));
    way(
        "rw-leave",
        "a writer: grants to a reader",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.read(), B_READER),
        s -> s.release(s.write(), A_FAIR));
    way(
        "rw-leave",
        "a reader: grants to a writer",
        s -> s.acquire(s.read(), READER).acquire(s.write(), B_FAIR),
        s -> s.release(s.read(), READER));
    way(
        "rw-leave",
        "a writer: grants in the reply",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.write(), A_NEXT),
        s -> s.release(s.write(), A_FAIR));
    way(
        "rw-force",
        "a writer, one waits",
        s -> s.acquire(s.write(), A_FAIR).acquire(s.write(), B_FAIR),
        s -> s.force(s.write()));
    way(
        "rw-force",
        "readers, one waits",
        s -> s.acquire(s.read(), READER).acquire(s.write(), B_FAIR),
        s -> s.force(s.read()));
  }

  private static void one(ScriptStage s) {
    s.permits("once", 1);
  }

  private static void taken(ScriptStage s) {
    one(s);
    s.acquire(s.semaphore(), PERMIT);
  }

  private static void permitWaited(ScriptStage s) {
    taken(s);
    s.acquire(s.semaphore(), B_PERMIT);
  }

  private void semaphore() {
    way("sem-permits", "once: sets", s -> {}, s -> s.permits("once", 1));
    way("sem-permits", "look", s -> taken(s), s -> s.permits("look", 0));
    way("sem-permits", "resize, one waits", s -> permitWaited(s), s -> s.permits("resize", 2));
    way("sem-acquire", "free", s -> one(s), s -> s.acquire(s.semaphore(), PERMIT));
    way("sem-acquire", "joins", s -> taken(s), s -> s.acquire(s.semaphore(), B_PERMIT));
    way(
        "sem-acquire",
        "confirms a grant",
        s -> {
          permitWaited(s);
          s.release(s.semaphore(), PERMIT);
        },
        s -> s.acquire(s.semaphore(), B_PERMIT));
    way("sem-leave", "nobody waits", s -> taken(s), s -> s.release(s.semaphore(), PERMIT));
    way("sem-leave", "grants", s -> permitWaited(s), s -> s.release(s.semaphore(), PERMIT));
    way(
        "sem-leave",
        "grants in the reply",
        s -> {
          taken(s);
          s.acquire(s.semaphore(), A_NEXT_PERMIT);
        },
        s -> s.release(s.semaphore(), PERMIT));
    way(
        "sem-return",
        "one of three permits",
        s -> {
          s.permits("once", 3);
          s.acquire(s.semaphore().wanting(3), THREE);
        },
        s -> s.giveBack(THREE, 1));
    way("sem-force", "held, one waits", s -> permitWaited(s), s -> s.force(s.semaphore()));
  }

  private static void two(ScriptStage s) {
    s.count("a:5:1", "set", 1);
  }

  private void latch() {
    way("latch-count", "set", s -> {}, s -> s.count(STEP, "set", 2));
    way("latch-count", "down", s -> s.count("a:5:1", "set", 2), s -> s.count(STEP, "down", 0));
    way("latch-count", "look", s -> two(s), s -> s.count("", "look", 0));
    way("latch-count", "delete", s -> two(s), s -> s.count(STEP, "delete", 0));
    way(
        "latch-count",
        "down to 0, one waits",
        s -> {
          two(s);
          s.acquire(s.latch(), B_FAIR);
        },
        s -> s.count(STEP, "down", 0));
    way(
        "latch-acquire",
        "open",
        s -> {
          two(s);
          s.count("a:6:1", "down", 0);
        },
        s -> s.acquire(s.latch(), B_FAIR));
    way("latch-acquire", "waits", s -> two(s), s -> s.acquire(s.latch(), B_FAIR));
    way(
        "latch-leave",
        "waits",
        s -> {
          two(s);
          s.acquire(s.latch(), B_FAIR);
        },
        s -> s.release(s.latch(), B_FAIR));
  }

  private void conditions() {
    way("condition", "joins", s -> held(s), s -> s.condition("a:7:1", "join"));
    way(
        "condition",
        "asks again",
        s -> {
          held(s);
          s.condition("b:7:1", "join");
        },
        s -> s.condition("b:7:1", "check"));
    way(
        "condition",
        "signals",
        s -> {
          held(s);
          s.condition("b:7:1", "join");
        },
        s -> s.condition(A, "signal"));
    way(
        "condition",
        "leaves",
        s -> {
          held(s);
          s.condition("b:7:1", "join");
        },
        s -> s.condition("b:7:1", "leave"));
  }

  private void together() {
    way("acquire-all", "two, free", s -> {}, s -> s.acquireAll(2, A));
    way("acquire-all", "two, the second is held", s -> last(s, 2), s -> s.acquireAll(2, B));
    way("acquire-all", "200, free", s -> {}, s -> s.acquireAll(200, A));
    way("acquire-all", "200, the last is held", s -> last(s, 200), s -> s.acquireAll(200, B));
    way("leave-all", "two, nobody waits", s -> s.acquireAll(2, A), s -> s.leaveAll(2, A));
    way(
        "leave-all",
        "two, one waits for the second",
        s -> {
          s.acquireAll(2, A).acquire(s.many(2).get(1), B);
        },
        s -> s.leaveAll(2, A));
    way("leave-all", "200, nobody waits", s -> s.acquireAll(200, A), s -> s.leaveAll(200, A));
  }

  private static void last(ScriptStage s, int count) {
    s.acquire(s.many(count).get(count - 1), A);
  }

  private void others() {
    way("renew", "one hold", s -> held(s), s -> s.renew(List.of(s.plain()), A));
    way(
        "renew",
        "a lock, a reader, a permit",
        s -> {
          held(s);
          one(s);
          s.acquire(s.read(), READER).acquire(s.semaphore(), PERMIT);
        },
        s -> s.renew(List.of(s.plain(), s.read(), s.semaphore()), A, READER, PERMIT));
    way("inspect", "held", s -> held(s), s -> s.run(s.scripts().inspect(s.plain())));
    way("inspect", "holder", s -> held(s), s -> s.run(s.scripts().inspectHolder(s.plain())));
    way(
        "rw-inspect",
        "readers",
        s -> s.acquire(s.read(), READER),
        s -> s.run(s.scripts().inspect(s.read())));
    way(
        "queue-length",
        "one waits",
        s -> waited(s),
        s -> s.run(s.scripts().queueLength(s.plain())));
    way(
        "status",
        "one holds, one waits",
        s -> waited(s),
        s -> s.run(s.scripts().status(s.plain())));
    Probe probe = new Probe("a", 1, false, "0", List.of());
    way("probe", "one holds", s -> held(s), s -> s.run(s.scripts().probe(s.plain(), probe)));
    way(
        "probe",
        "a reader holds",
        s -> s.acquire(s.read(), READER),
        s -> s.run(s.scripts().probe(s.read(), probe)));
    way("check", "at opening", s -> {}, s -> s.run(s.scripts().check(s.plain(), "mortise:mail:a")));
  }
}
