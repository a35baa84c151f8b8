package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.Permissions;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a backend opens and refuses when it is given sentinels. */
@OnEachServer
abstract class SentinelDuties extends Duties {
  private static final String SECRET = "s3ntinel-Wort";
  private static final String USER = "watcher";

  private final RedisSentinelConformance kit;

  SentinelDuties(RedisSentinelConformance kit) {
    super(kit);
    this.kit = kit;
  }

  private static RedisSentinels set() {
    return RedisSentinels.shared();
  }

  private String refused(URI uri) {
    BackendException error = assertThrows(BackendException.class, () -> kit.openAsGiven(uri));
    assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
    return String.valueOf(error.getMessage());
  }

  private static void assertSays(String message, String... parts) {
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "'" + part + "' is missing: " + message);
    }
  }

  private static URI of(RedisServer sentinel, String rest) {
    return URI.create("redis-sentinel://" + sentinel.host() + ':' + sentinel.port() + rest);
  }

  @Test
  @Rule({"B14", "B16"})
  @DisplayName("B16: the master that the sentinels name is opened, and is the one that is used")
  void opensTheMaster() {
    LockBackend backend = open(set().uri());
    backend.execute(increment(name("n")));
    assertEquals("1", set().master().command("GET", name("n")));
    assertEquals(Topology.SENTINEL, backend.info().topology());
    assertSays(backend.info().endpoint(), "redis-sentinel://127.0.0.1:", set().name());
    assertSays(backend.toString(), "127.0.0.1:" + set().master().port());
  }

  @Test
  @Rule({"B14", "B16"})
  @DisplayName("B16: a master that is named by an address behind NAT is reached by a mapping")
  void aMasterBehindNat() {
    try (RedisServer sentinel =
        RedisServer.builder()
            .sentinel("bind-source-addr 192.0.2.1", "sentinel monitor m 192.0.2.7 6379 1")
            .start()) {
      RedisServer master = set().master();
      URI uri = of(sentinel, "#m");
      String there = master.host() + ':' + master.port();
      Map<String, String> mapped = Map.of("addresses", "192.0.2.7:6379=" + there);
      try (LockBackend backend =
          kit.provider().open(new BackendConfig(uri, TIMEOUT, "mortise-kit", mapped))) {
        backend.execute(increment(name("n")));
        assertEquals("1", master.command("GET", name("n")));
      }
      Map<String, String> astray = Map.of("addresses", "192.0.2.7=127.0.0.1:1");
      BackendException refusal =
          assertThrows(
              BackendException.class,
              () -> kit.provider().open(new BackendConfig(uri, TIMEOUT, "mortise-kit", astray)));
      assertSays(
          String.valueOf(refusal.getMessage()),
          "192.0.2.7:6379, which the property 'addresses' says to reach at 127.0.0.1:1");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: the master's name may be a parameter of the URI")
  void theNameAsAParameter() {
    URI uri = of(set().sentinels().get(0), "?sentinelMasterId=" + set().name());
    assertEquals(List.of("x"), open(uri).execute(echo("x")));
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: the database of the URI is that of the master")
  void theDatabase() {
    LockBackend backend = open(of(set().sentinels().get(0), "/3#" + set().name()));
    backend.execute(increment(name("n")));
    assertEquals(null, set().master().command("GET", name("n")));
    assertSays(
        String.valueOf(set().master().command("CLIENT", "LIST")), " db=3 ", " name=mortise-kit ");
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a master that the sentinels do not know is refused; the message lists others")
  void anUnknownMaster() {
    String message = refused(of(set().sentinels().get(0), "#nobody"));
    assertSays(message, "knows no master 'nobody'", "'" + set().name() + "'");
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: sentinels that ask for a password are refused without it, and served with it")
  void aPasswordOfTheSentinels() {
    RedisServer master = set().master();
    try (RedisServer sentinel =
        RedisServer.builder()
            .sentinel("sentinel monitor guarded %s %d 1".formatted(master.host(), master.port()))
            .password(SECRET)
            .start()) {
      URI uri = of(sentinel, "#guarded");
      assertSays(refused(uri), "NOAUTH", "sentinel.password");
      BackendException wrong =
          assertThrows(BackendException.class, () -> openWith(uri, "not-" + SECRET));
      assertSays(String.valueOf(wrong.getMessage()), "WRONGPASS", "sentinel.password");
      assertTrue(!String.valueOf(wrong.getMessage()).contains(SECRET), wrong::toString);
      try (LockBackend backend = openWith(uri, SECRET)) {
        assertEquals(List.of("x"), backend.execute(echo("x")));
        assertTrue(!backend.toString().contains(SECRET), backend::toString);
      }
    }
  }

  private LockBackend openWith(URI uri, String password) {
    return openWith(uri, Map.of("sentinel.password", password));
  }

  private LockBackend openWith(URI uri, Map<String, String> properties) {
    return kit.provider()
        .open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", properties));
  }

  private RedisServer sentinelThatAllows(List<String> rules) {
    RedisServer master = set().master();
    return RedisServer.builder()
        .sentinel(
            "sentinel monitor guarded %s %d 1".formatted(master.host(), master.port()),
            "user " + USER + " on >" + SECRET + " resetchannels -@all " + String.join(" ", rules))
        .start();
  }

  private LockBackend openAsUser(RedisServer sentinel) {
    return openWith(
        of(sentinel, "#guarded"), Map.of("sentinel.user", USER, "sentinel.password", SECRET));
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a property that the provider does not know is refused, without its value")
  void anUnknownProperty() {
    IllegalArgumentException error =
        assertThrows(
            IllegalArgumentException.class,
            () -> openWith(set().uri(), Map.of("sentinel.pasword", SECRET)));
    assertSays(
        String.valueOf(error.getMessage()),
        "'sentinel.pasword' is not known",
        "[addresses, sentinel.password, sentinel.user]");
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: the documented permissions of a user at the sentinels are enough")
  void theSmallestAcl() {
    try (RedisServer sentinel = sentinelThatAllows(Permissions.SENTINEL);
        LockBackend backend = openAsUser(sentinel)) {
      assertEquals(List.of("x"), backend.execute(echo("x")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"+sentinel|master", "+subscribe", "&+switch-master"})
  @Rule({"B16", "B18"})
  @DisplayName("B16: a permission that is missing at the sentinels is refused by its name")
  void aMissingPermission(String rule) {
    List<String> rules = Permissions.without(Permissions.SENTINEL, rule);
    try (RedisServer sentinel = sentinelThatAllows(rules)) {
      BackendException error =
          assertThrows(BackendException.class, () -> openAsUser(sentinel).close());
      assertSays(String.valueOf(error.getMessage()), "NOPERM", "sentinel.user");
      assertTrue(!error.toString().contains(SECRET), error::toString);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"+ping", "+unsubscribe", "+client|setname"})
  @Rule("B16")
  @DisplayName("B16: the permissions at the sentinels that are only useful can be left out")
  void aUsefulPermission(String rule) {
    List<String> rules = Permissions.without(Permissions.SENTINEL, rule);
    try (RedisServer sentinel = sentinelThatAllows(rules);
        LockBackend backend = openAsUser(sentinel)) {
      assertEquals(List.of("x"), backend.execute(echo("x")));
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: one sentinel that is not there does no harm, none there is refused by name")
  void absentSentinels() {
    RedisServer gone = RedisServer.start();
    gone.close();
    String place = gone.host() + ':' + gone.port();
    RedisServer there = set().sentinels().get(0);
    URI uri = of(gone, "," + there.host() + ':' + there.port() + '#' + set().name());
    assertEquals(List.of("x"), open(uri).execute(echo("x")));
    assertSays(refused(of(gone, "#mymaster")), "no sentinel names its master", place);
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a server is no sentinel and a sentinel no server; the message has the URI")
  void theWrongKindOfServer() {
    assertSays(
        refused(of(set().master(), "#mymaster")),
        "it is a standalone master",
        "write redis://host:port");
    assertSays(
        refused(set().sentinels().get(0).uri()),
        "it is a sentinel",
        "write redis-sentinel://host:26379#mymaster");
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a server that the sentinels name and that is no master is refused")
  void aReplicaUnderTheNameOfAMaster() {
    RedisServer replica = set().servers().get(1);
    try (RedisServer sentinel =
        RedisServer.builder()
            .sentinel("sentinel monitor wrong %s %d 1".formatted(replica.host(), replica.port()))
            .start()) {
      String message = refused(of(sentinel, "#wrong"));
      assertSays(message, "replica", replica.host() + ':' + replica.port());
    }
  }

  @Test
  @Rule("B17")
  @DisplayName("B17: closing leaves no connection, neither at the master nor at a sentinel")
  void closingLeavesNothing() {
    LockBackend backend = open(set().uri());
    Recorder recorder = new Recorder();
    backend.subscribe(name("channel"), recorder);
    recorder.awaitSigns("+");
    Await.until(
        "all sentinels are heard",
        () -> set().sentinels().stream().allMatch(sentinel -> links(sentinel) > 0));
    backend.close();
    Await.until(
        "no link is left",
        () ->
            links(set().master()) == 0 && set().sentinels().stream().allMatch(s -> links(s) == 0));
  }

  private static long links(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains(" name=mortise-kit "))
        .count();
  }
}
