package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.LockStatus;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that look into a real store, called in this process. */
@Timeout(60)
class CommandsTest {
  /** A name that colours a terminal, rings it, moves the cursor and turns the text around. */
  static final String NASTY = "a\u001b[31m\u0007\r\n\u009b2J\u202e\u2028b";

  private static RedisServer redis = RedisServer.start();
  private static LockService holder;
  private static LockService waiter;

  @BeforeAll
  static void open() {
    holder = LockService.open(redis.uri().toString(), "jedis");
    waiter = LockService.open(redis.uri().toString(), "jedis");
  }

  @AfterAll
  static void close() {
    waiter.close();
    holder.close();
    redis.close();
  }

  @AfterEach
  void nothingStaysHeld() {
    for (int i = 0; i < 3; i++) { // waiters get it next
      holder.find("*", 100).forEach(each -> run("force-unlock", each.name(), "--yes"));
    }
  }

  private static Invocation run(String... args) {
    return Invocation.of(atStore(args));
  }

  private static String[] atStore(String... args) {
    return Stream.concat(
            Stream.of(args[0], "--uri", redis.uri().toString()), Stream.of(args).skip(1))
        .toArray(String[]::new);
  }

  private static JsonObject object(String line) {
    return JsonParser.parseString(line).getAsJsonObject();
  }

  /** Lets a waiter join the queue of a lock that is held. */
  private static CompletableFuture<Lease> waitFor(String name) throws InterruptedException {
    CompletableFuture<Lease> waiting = waiter.getFairLock(name).async().acquire();
    while (holder.getLock(name).getQueueLength() == 0) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return waiting;
  }

  @Test
  void listShowsHoldersAndHowManyWait() throws Exception {
    holder.getLock("orders:1").acquire();
    holder.getLock("orders:2").acquire();
    holder.getSemaphore("exports", 3).acquire(2);
    CompletableFuture<Lease> unused = waitFor("orders:2");

    Invocation all = run("list");
    assertEquals(0, all.exitCode(), all.err());
    assertTrue(
        all.out().matches("(?s).*exports +semaphore .*orders:1 +plain .* 0\\R.*"), all.out());
    assertTrue(
        all.out().matches("(?s).*orders:2 +plain .*" + ProcessHandle.current().pid() + " .* 1\\R"),
        all.out());

    List<String> lines = run("list", "orders:*", "--waited", "--json").out().lines().toList();
    assertEquals(1, lines.size());
    JsonObject lock = object(lines.get(0));
    assertEquals("orders:2", lock.get("name").getAsString());
    assertEquals(1, lock.getAsJsonArray("waiters").size());
    assertTrue(lock.get("leaseLeftMillis").getAsLong() > 1000);
  }

  @Test
  void anEmptyListSaysSoOnStderr() {
    Invocation none = run("list", "nothing*");
    assertEquals(0, none.exitCode());
    assertEquals("", none.out());
    assertTrue(none.err().contains("no such lock is held"), none.err());
    assertEquals("", run("list", "nothing*", "--json").all());
  }

  @Test
  void aListThatReachesItsLimitSaysThatThereMayBeMore() throws Exception {
    holder.getLock("one").acquire();
    holder.getLock("two").acquire();
    Invocation limited = run("list", "--limit", "1");
    assertEquals(0, limited.exitCode());
    assertTrue(limited.err().contains("there may be more"), limited.err());
    JsonObject note = object(run("list", "--limit", "1", "--json").err());
    assertTrue(note.get("message").getAsString().contains("there may be more"), note::toString);
  }

  @Test
  void inspectShowsTokenHolderIdAndTheQueueInOrder() throws Exception {
    Lease lease = holder.getFencedLock("backup").acquire();
    CompletableFuture<Lease> unused = waitFor("backup");

    Invocation shown = run("inspect", "backup");
    assertEquals(0, shown.exitCode(), shown.err());
    String token = String.valueOf(lease.fencingToken().getAsLong());
    assertTrue(shown.out().contains(token), shown.out());
    assertTrue(shown.out().contains("waits 1"), shown.out());
    assertTrue(shown.out().contains(holder.clientId()), shown.out());

    JsonObject lock = object(run("inspect", "backup", "--json").out());
    assertEquals(token, lock.get("fencingToken").getAsString());
  }

  @Test
  void aTokenOfTheNextHolderIsNotShownWithTheLastOne() throws Exception {
    Lease first = holder.getFencedLock("handed").acquire();
    List<LockStatus> found = holder.status("handed");
    Optional<LockHolder> same = holder.getLock("handed").holder();
    assertEquals(first.fencingToken(), InspectCommand.token(same, found));

    first.close();
    waiter.getFencedLock("handed").acquire();
    Optional<LockHolder> next = holder.getLock("handed").holder();

    assertTrue(next.orElseThrow().fencingToken().isPresent());
    assertEquals(OptionalLong.empty(), InspectCommand.token(next, found));
  }

  @Test
  void inspectOfAFreeLockIsExitCode1() {
    Invocation free = run("inspect", "free");
    assertEquals(1, free.exitCode());
    assertEquals("mortise: 'free' is free", free.err().strip());
    assertEquals("", free.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"inspect", "force-unlock", "watch"})
  void aKeyOfAnotherProgramIsExitCode4(String command) {
    redis.command("SET", "mortise:lock:{foreign}", "x");
    try {
      Invocation foreign = run(command, "foreign");
      assertEquals(4, foreign.exitCode(), foreign.all());
      assertTrue(foreign.err().contains("hold somebody else's data"), foreign.err());
      assertEquals(1, foreign.err().lines().count(), foreign.err());
    } finally {
      redis.command("DEL", "mortise:lock:{foreign}");
    }
  }

  @Test
  void forceUnlockEndsNothingUntilItIsToldWhom() throws Exception {
    Lease lease = holder.getLock("stuck").acquire();

    Invocation asked = run("force-unlock", "stuck");
    assertEquals(2, asked.exitCode());
    String id = holder.getLock("stuck").holder().orElseThrow().id();
    assertTrue(asked.err().contains("--holder " + id), asked.err());
    assertTrue(lease.isValid());

    Invocation wrong = run("force-unlock", "stuck", "--holder", "host~1~0123456789abcdef:1:1");
    assertEquals(1, wrong.exitCode(), wrong.err());
    assertTrue(wrong.err().contains("nothing has changed"), wrong.err());
    assertTrue(holder.getLock("stuck").isLocked());

    Invocation done = run("force-unlock", "stuck", "--holder", id);
    assertEquals(0, done.exitCode(), done.err());
    assertFalse(holder.getLock("stuck").isLocked());
    assertEquals(1, run("force-unlock", "stuck", "--yes").exitCode());
  }

  @Test
  void forceUnlockEndsReadersWritersAndPermits() throws Exception {
    holder.getReadWriteLock("r").readLock().acquire();
    holder.getReadWriteLock("w").writeLock().acquire();
    holder.getSemaphore("s", 3).acquire(1);
    for (String name : List.of("r", "w", "s")) {
      JsonObject ended = object(run("force-unlock", name, "--yes", "--json").out());
      assertTrue(ended.get("ended").getAsBoolean(), ended::toString);
    }
    assertEquals(List.of(), holder.find("*", 10));
  }

  @Test
  void watchTellsOfEachChangeUntilTheLockIsFree() throws Exception {
    Lease lease = holder.getLock("watched").acquire();
    CompletableFuture<Invocation> watch =
        Invocation.inThread(() -> run("watch", "watched", "--until", "free", "-w", "30s"));
    TimeUnit.MILLISECONDS.sleep(
        800); // whether it sees the holder is up to chance; that it ends is not
    lease.close();
    Invocation ended = watch.join();
    assertEquals(0, ended.exitCode(), ended.err());
    assertTrue(ended.out().endsWith("free" + System.lineSeparator()), ended.out());

    assertEquals(1, run("watch", "watched", "--until", "held", "-w", "0").exitCode());
    JsonObject state = object(run("watch", "watched", "-w", "0", "--json").out());
    assertEquals("free", state.get("state").getAsString());
  }

  @Test
  void watchComparesAllHolders() throws Exception {
    LeasedLock readers = holder.getReadWriteLock("read").readLock();
    Lease first = readers.acquire();
    Lease second = readers.acquire();
    Set<String> before = Set.copyOf(WatchCommand.ids(holder.status("read")));
    second.close();
    Lease third = readers.acquire();
    Set<String> after = new HashSet<>(WatchCommand.ids(holder.status("read")));
    assertEquals(2, before.size());
    assertEquals(2, after.size());
    after.removeAll(before);
    assertEquals(1, after.size());
    third.close();
    first.close();
  }

  @Test
  void namesCannotSteerATerminal() throws Exception {
    holder.getLock(NASTY).acquire();
    for (String[] command :
        List.of(
            new String[] {"list"},
            new String[] {"list", "--json"},
            new String[] {"inspect", NASTY},
            new String[] {"inspect", NASTY, "--json"},
            new String[] {"force-unlock", NASTY},
            new String[] {"watch", NASTY, "-w", "0"},
            new String[] {"top", "--once"},
            new String[] {"inspect", NASTY + "other"})) {
      Invocation shown = run(command);
      String steering = shown.all().replace("\n", "").replace("\r", "");
      assertFalse(steering.matches("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}].*"), shown.all());
    }
    // A waiter of the test before may have got its lock meanwhile.
    assertTrue(
        run("list", "--json")
            .out()
            .lines()
            .anyMatch(line -> object(line).get("name").getAsString().equals(NASTY)));
  }

  @Test
  void namesCannotSteerATerminalFromAStackTrace() {
    redis.command("SET", "mortise:lock:{" + NASTY + "}", "x");
    try {
      Invocation foreign = run("inspect", NASTY, "--stacktrace");
      assertEquals(4, foreign.exitCode());
      assertTrue(foreign.err().contains("\tat io.mortise."), foreign.err());
      assertFalse(
          foreign.err().matches("(?s).*[\\p{Cc}\\p{Cf}\\p{Zl}&&[^\t\r\n]].*"), foreign.err());
    } finally {
      redis.command("DEL", "mortise:lock:{" + NASTY + "}");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 43, 60, 80, 200})
  void noLineIsWiderThanTheTerminal(int columns) throws Exception {
    holder.getLock("a-name-that-is-longer-than-a-narrow-terminal:1234567890").acquire();
    for (String[] command : List.of(new String[] {"list"}, new String[] {"top", "--once"})) {
      Invocation shown = Invocation.onTerminal(columns, atStore(command));
      assertEquals(0, shown.exitCode(), shown.err());
      assertTrue(shown.out().lines().allMatch(line -> line.length() <= columns), shown.out());
    }
  }

  @Test
  void topShowsWhoHoldsAndPrintsOneObjectALook() throws Exception {
    holder.getLock("busy").acquire();
    CompletableFuture<Lease> unused = waitFor("busy");
    Invocation table = run("top", "--once");
    assertTrue(table.out().startsWith("1 held, 1 waiting"), table.out());
    assertTrue(table.out().contains("##########"), table.out());
    JsonObject look = object(run("top", "--once", "--json").out());
    JsonObject lock = look.getAsJsonArray("locks").get(0).getAsJsonObject();
    assertEquals(1.0, lock.get("leaseShare").getAsDouble());
    assertFalse(lock.get("heldWhole").getAsBoolean(), "it may be older than top");
  }

  @Test
  void topGivesTheFirstScreenBackBeforeItTellsAnError() throws Exception {
    StringWriter terminal = new StringWriter();
    PrintWriter both = new PrintWriter(terminal);
    Streams streams = new Streams(both, both, true, 80, false, true);
    Thread top = new Thread(() -> Main.run(streams, atStore("top", "--every", "100ms")));
    top.start();
    Await.until("it shows a screen", () -> terminal.toString().contains(Terminal.TOP));
    top.interrupt();
    top.join(TimeUnit.SECONDS.toMillis(20));
    String shown = terminal.toString();
    assertTrue(shown.contains(Terminal.CLOSE + "mortise: "), shown);
  }

  @Test
  void colourIsOnlyWhereThatIsWanted() throws Exception {
    holder.getLock("x").acquire();
    assertTrue(Invocation.inColour(atStore("top", "--once")).out().contains("\u001b["));
    assertFalse(Invocation.onTerminal(80, atStore("top", "--once")).out().contains("\u001b["));
  }

  @Test
  void withoutThePermissionToScanTheErrorNamesIt() throws Exception {
    redis.command("ACL", "SETUSER", "joe", "on", ">pw", "~*", "&*", "+@all", "-scan");
    String uri = redis.uri("joe:pw").toString();
    for (String command : List.of("list", "top")) {
      Invocation refused = Invocation.of(command, "--uri", uri);
      assertEquals(3, refused.exitCode(), refused.all());
      assertTrue(refused.err().contains("+scan"), refused.err());
      assertEquals(1, refused.err().lines().count(), refused.err());
    }
    Invocation doctor = Invocation.of("doctor", "--uri", uri);
    assertEquals(0, doctor.exitCode(), doctor.all());
    assertTrue(doctor.out().matches("(?s).*scan +note +refused.*"), doctor.out());
  }

  @Test
  void doctorNeedsNoKeyOfAnotherPrefix() {
    redis.command("ACL", "SETUSER", "ann", "on", ">pw", "~shop:*", "&shop:*", "+@all");
    String uri = redis.uri("ann:pw").toString();
    Invocation doctor = Invocation.of("doctor", "--uri", uri, "--key-prefix", "shop:");
    assertEquals(0, doctor.exitCode(), doctor.all());
  }

  /** A store with 100,000 held locks: the lists end at their limits, or show all. */
  @Test
  @Tag("ci")
  @Timeout(value = 5, unit = TimeUnit.MINUTES) // a hundred thousand locks are made and listed
  void aHundredThousandLocks() {
    try (RedisServer large = RedisServer.start()) {
      String fill =
          "for i = 1, 100000 do local k = 'mortise:lock:{job:' .. i .. '}'"
              + " redis.call('HSET', k, 'vm~1~a0d46a9016113636:' .. i .. ':3', '1')"
              + " redis.call('PEXPIRE', k, 600000) end return 1";
      large.command("EVAL", fill, "0");
      String uri = large.uri().toString();
      Invocation some = Invocation.of("list", "--uri", uri);
      assertEquals(1002, some.out().lines().count());
      assertTrue(some.err().contains("there may be more"), some.err());
      Invocation all = Invocation.of("list", "--uri", uri, "--json", "--limit", "200000");
      assertEquals(100_000, all.out().lines().distinct().count());
      assertEquals("", all.err());
      Invocation top = Invocation.of("top", "--uri", uri, "--once");
      assertTrue(top.out().startsWith("1,000 or more held"), top.out());
    }
  }

  @Test
  void doctorFindsAServerThatDropsKeys() {
    Invocation fit = run("doctor");
    assertEquals(0, fit.exitCode(), fit.all());
    assertTrue(fit.out().matches("(?s).*eviction +ok .*"), fit.out());

    redis.command("CONFIG", "SET", "maxmemory", "1gb");
    redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    try {
      Invocation unfit = run("doctor", "--json");
      assertEquals(1, unfit.exitCode());
      assertTrue(
          unfit
              .out()
              .lines()
              .map(CommandsTest::object)
              .anyMatch(each ->
                  each.get("check").getAsString().equals("eviction")
                      && each.get("verdict").getAsString().equals("problem")),
          unfit.out());
    } finally {
      redis.command("CONFIG", "SET", "maxmemory", "0");
      redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }
  }

  @Test
  void doctorFindsAServerThatIsFull() throws Exception {
    holder.getLock("before").acquire();
    redis.command("CONFIG", "SET", "maxmemory", "1mb");
    try {
      assertEquals(69, run("run", "full", "-n", "--", "true").exitCode());
      Invocation full = run("doctor");
      assertEquals(1, full.exitCode(), full.all());
      assertTrue(full.out().matches("(?s).*memory +problem +\\d+ of 1048576 bytes .*"), full.out());
      assertEquals(0, run("force-unlock", "before", "--yes").exitCode(), "that needs no memory");
    } finally {
      redis.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void theOtherCommandsPrintObjectsToo() {
    assertEquals(
        3, Invocation.of("providers", "--json").out().lines().map(CommandsTest::object).count());
    Invocation demo = Invocation.of("demo", "--json", "--seconds", "1", "--workers", "2");
    assertEquals(0, object(demo.out()).getAsJsonObject("withMortise").get("lost").getAsInt());
    assertEquals("", demo.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list --json --limit 0",
        "list --json --uri redis://127.0.0.1:1",
        "inspect --json --nonsense",
        "run --json x -- no-such-command",
        "force-unlock --json --uri memory:x free",
        "nonsense --json"
      })
  void withJsonAnErrorIsOneObjectOnStderr(String arguments) {
    Invocation failed = Invocation.of(arguments.split(" ", -1));
    assertEquals("", failed.out());
    assertEquals(1, failed.err().lines().count(), failed.err());
    JsonObject error = object(failed.err());
    assertEquals(failed.exitCode(), error.get("exitCode").getAsInt());
    assertFalse(error.get("error").getAsString().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          list --limit 0                | --limit is 0; it must be 1 to 1000000
          list ''                       | pattern
          list --backend lettuce --uri memory:x | --backend lettuce does not serve 'memory:'; use memory
          list --uri mysql://x          | no backend serves 'mysql:'
          list --timeout 1              | '1' is no time; write 500ms, 30s, 5m or 1h
          list --timeout 1ms            | --timeout PT0.001S is shorter than
          list --timeout 11s            | --timeout PT11S is more than a third of the lease time
          list --key-prefix a{b         | prefix
          inspect                       | Missing required parameter: 'NAME'
          inspect a{b --uri memory:x    | brace
          inspekt                       | did you mean inspect?
          top --every 10ms              | --every is shorter than 100ms
          top --sort size               | Invalid value for option '--sort'
          top --web 8a                  | --web 8a must read [ADDRESS:]PORT, as 8700
          top --web 70000               | --web 70000 must read [ADDRESS:]PORT, as 8700
          top --web 0 --once            | --web and --once exclude each other
          force-unlock x --holder i --yes | --holder and --yes exclude each other
          force-unlock x --holder ''    | --holder is blank; inspect shows the holder id
          top --every 240001h          | '240001h' is longer than 10,000 days
          watch x -w 999999999h        | '999999999h' is longer than 10,000 days
          watch x --until gone          | Invalid value for option '--until'
          completion fish               | fish
          """)
  void aBadArgumentIsOneLineAndAHint(String arguments, String message) {
    String[] args =
        Stream.of(arguments.strip().split(" ", -1))
            .map(each -> each.equals("''") ? "" : each)
            .toArray(String[]::new);
    boolean store = arguments.contains("list ''") || arguments.contains("key-prefix");
    Invocation bad = Invocation.of(store ? atStore(args) : args);
    assertEquals(2, bad.exitCode(), bad.all());
    assertTrue(bad.err().contains(message), bad.err());
    assertEquals(2, bad.err().lines().count(), bad.err());
    assertTrue(bad.err().lines().toList().get(1).startsWith("Try 'mortise"), bad.err());
  }
}
