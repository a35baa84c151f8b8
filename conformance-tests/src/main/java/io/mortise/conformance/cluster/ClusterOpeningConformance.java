package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.Permissions;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.Remains;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Topology;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How services on a Redis Cluster open, and what they refuse. */
public abstract class ClusterOpeningConformance implements BackendUnderTest {
  private final RedisCluster cluster = RedisCluster.shared();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final String name = "opening-" + UUID.randomUUID();

  /** For the subclass that the author of a backend writes. */
  protected ClusterOpeningConformance() {}

  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name() + "-cluster";
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private LockBackend open(URI uri) {
    Duration timeout = Duration.ofSeconds(2);
    LockBackend backend = provider().open(new BackendConfig(uri, timeout, "mortise-kit", Map.of()));
    opened.add(backend);
    return backend;
  }

  private String refusal(String uri) {
    Remains remains = new Remains();
    BackendException refusal = assertThrows(BackendException.class, () -> open(URI.create(uri)));
    remains.assertNoThread();
    return String.valueOf(refusal.getMessage());
  }

  private String place(int node) {
    RedisServer server = cluster.nodes().get(node);
    return server.host() + ':' + server.port();
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: one node is enough to open, also a replica, and also behind a bad seed")
  void oneNodeIsEnough() {
    assertEquals(
        Topology.CLUSTER, open(URI.create("redis-cluster://" + place(4))).info().topology());
    LockBackend second = open(URI.create("redis-cluster://127.0.0.1:1," + place(0)));
    assertEquals("redis-cluster://127.0.0.1:1," + place(0), second.info().endpoint());
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: when nobody answers, each seed is named")
  void nobodyIsThere() {
    String message = refusal("redis-cluster://127.0.0.1:1,127.0.0.1:2");
    assertTrue(message.contains("127.0.0.1:1") && message.contains("127.0.0.1:2"), message);
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a single server and a cluster are told apart, with the URI to write")
  void theWrongScheme() {
    try (RedisServer single = RedisServer.start()) {
      String message = refusal("redis-cluster://" + single.host() + ':' + single.port());
      assertTrue(message.contains("write redis://host:port"), message);
    }
    String message = refusal("redis://" + place(0));
    assertTrue(message.contains("write redis-cluster://host:port"), message);
  }

  @Test
  @Rule({"B16", "B22"})
  @DisplayName("B16: nodes that announce names are reached by the property 'addresses'")
  void announcedNamesAreMapped() {
    List<String> named =
        List.of(
            "--cluster-announce-hostname",
            "node.invalid",
            "--cluster-preferred-endpoint-type",
            "hostname");
    try (RedisCluster away = RedisCluster.start(Duration.ofSeconds(15), () -> named)) {
      String unmapped = unusable(open(away.uri()));
      assertTrue(unmapped.contains("node.invalid"), unmapped);
      String astray = unusable(open(away.uri(), "node.invalid=127.0.0.1:1"));
      assertTrue(astray.contains("node.invalid:"), astray);
      assertTrue(astray.contains("'addresses' says to reach at 127.0.0.1:1: "), astray);

      LockBackend backend = open(away.uri(), "node.invalid=127.0.0.1");
      DistributedLock lock = service(backend).getLock("mapped");
      lock.lock();
      int slot = away.slot("{mapped}");
      away.move(slot, away.otherThan(slot));
      lock.ensureHeld();
      assertTrue(lock.isLocked(), "a redirection names the node too");
      lock.unlock();
    }
  }

  @OnEachServer
  @ParameterizedTest
  @ValueSource(strings = {"unknown-endpoint", "hostname"})
  @Rule({"B16", "B22"})
  @DisplayName("B22: nodes without a name are on the host that was asked, also in a redirection")
  void nodesWithoutAName(String preferred) {
    nameNodesBy(preferred);
    try {
      DistributedLock lock =
          service(open(URI.create("redis-cluster://localhost:" + port(0)))).getLock(name);
      lock.lock();
      int slot = cluster.slot('{' + name + '}');
      RedisServer home = cluster.owner(slot);
      cluster.move(slot, cluster.otherThan(slot));
      lock.ensureHeld();
      assertTrue(lock.isLocked(), "a redirection names no host either");
      lock.unlock();
      cluster.move(slot, home);
    } finally {
      nameNodesBy("ip");
    }
  }

  private void nameNodesBy(String preferred) {
    for (RedisServer node : cluster.nodes()) {
      node.command("CONFIG", "SET", "cluster-preferred-endpoint-type", preferred);
    }
  }

  private int port(int node) {
    return cluster.nodes().get(node).port();
  }

  private static String unusable(LockBackend backend) {
    LockService.Builder builder = LockService.builder().sharedBackend(backend);
    return String.valueOf(
        assertThrows(BackendUnavailableException.class, () -> builder.open().close()).getMessage());
  }

  private LockBackend open(URI uri, String addresses) {
    BackendConfig config =
        new BackendConfig(
            uri, Duration.ofSeconds(2), "mortise-kit", Map.of("addresses", addresses));
    LockBackend backend = provider().open(config);
    opened.add(backend);
    return backend;
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a mapping of another form is refused with the form")
  void aMappingOfAnotherForm() {
    for (String wrong : List.of("a", "a=", "=b", "a:1=b:2=c", "a=b,", "a=b,a=c")) {
      IllegalArgumentException refusal =
          assertThrows(IllegalArgumentException.class, () -> open(cluster.uri(), wrong));
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains("property 'addresses' has "), message);
    }
  }

  @OnEachServer
  @Test
  @Rule({"B16", "L10"})
  @DisplayName("B16: a database of a cluster is used if it has several, and else refused")
  void aDatabaseOfACluster() throws InterruptedException {
    boolean hasDatabases =
        cluster.nodes().get(0).command("CONFIG", "GET", "cluster-databases")
                instanceof List<?> found
            && !found.isEmpty();
    String refusal = refusal(cluster.uri() + "/2");
    assertTrue(refusal.contains(hasDatabases ? "DB index" : "only database 0"), refusal);
    assertTrue(refusal.contains("the last slash"), refusal);
    assumeTrue(hasDatabases, "a cluster of this server has only database 0");
    try (RedisCluster several =
        RedisCluster.start(Duration.ofSeconds(15), () -> List.of("--cluster-databases", "4"))) {
      URI second = URI.create(several.uri() + "/2");
      DistributedLock mine = service(open(second)).getLock("db");
      mine.lock();
      assertTrue(service(open(several.uri())).getLock("db").tryLock(), "another database");
      DistributedLock theirs = service(open(second)).getLock("db");
      Crew waiter = Crew.start(ThreadKind.PLATFORM, 1, number -> theirs.lock());
      Await.until("it waits", Await.patience(), () -> mine.getQueueLength() == 1);
      mine.unlock();
      waiter.join(Await.patience());
      assertTrue(open(second).toString().endsWith("/2]"), open(second)::toString);
    }
  }

  private LockService service(LockBackend backend) {
    LockService service = LockService.builder().sharedBackend(backend).open();
    opened.add(0, service);
    return service;
  }

  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: a user that lacks a command on one master alone is told so at opening")
  void aUserThatLacksACommandOnOneNode() {
    RedisServer strict = cluster.nodes().get(1);
    for (RedisServer node : cluster.nodes()) {
      node.command("ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all");
    }
    strict.command("ACL", "SETUSER", "locks", "-hset");
    try {
      URI uri = URI.create(cluster.uri().toString().replace("://", "://locks:secret@"));
      LockBackend backend = open(uri);
      RuntimeException refusal =
          assertThrows(
              RuntimeException.class, () -> LockService.builder().sharedBackend(backend).open());
      assertTrue(String.valueOf(refusal.getMessage()).contains("refused HSET"), refusal::toString);
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "locks"));
    }
  }

  @OnEachServer
  @Test
  @Rule({"B16", "L18"})
  @DisplayName("L18: the documented permissions are enough on a cluster, and all are needed")
  void theDocumentedPermissions() throws Exception {
    String key = "mortise:{" + name + '}';
    Script exists = Script.of("exists", "return {redis.call('EXISTS', KEYS[1])}");
    ScriptCall call = new ScriptCall(exists, List.of(key), List.of(), Duration.ofSeconds(5));
    int slot = cluster.slot(key);
    RedisServer next = cluster.otherThan(slot);
    try {
      allow(Permissions.CLUSTER);
      LockBackend backend = open(user());
      LockService service = LockService.builder().sharedBackend(backend).open();
      opened.add(0, service);
      assertTrue(service.getLock(name).tryLock());
      service.getLock(name).unlock();
      RedisServer before = cluster.beginMove(slot, next);
      assertEquals(List.of(0L), backend.execute(call));
      allow(Permissions.without(Permissions.CLUSTER, "+asking"));
      BackendException refusal = assertThrows(BackendException.class, () -> backend.execute(call));
      assertEquals("NOPERM", refusal.code(), refusal::toString);
      assertTrue(String.valueOf(refusal.getMessage()).contains("'asking'"), refusal::toString);
      cluster.moveKeys(slot, before, next);
      cluster.endMove(slot, before, next);
      cluster.move(slot, before);
      allow(with("+get", "+set", "+hget", "+cluster|info"));
      assertTrue(tokenAfterFailovers() > 0);
      allow(with("+get", "+set", "+hget"));
      assertTrue(tokenAfterFailovers() > 0, "L13: it gives tokens, and logs why");
      closeAll(); // a backend that is open starts threads as it likes
      opened.clear();
      allow(Permissions.without(Permissions.CLUSTER, "+cluster|slots"));
      String message = refusal(user().toString());
      assertTrue(message.contains("NOPERM") && message.contains("cluster|slots"), message);
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "locks"));
    }
  }

  private long tokenAfterFailovers() {
    try (LockService service = LockService.builder().sharedBackend(open(user())).open()) {
      FencedLock lock = service.getFencedLock(UUID.randomUUID().toString());
      long token = lock.lockAndGetToken();
      lock.unlock();
      return token;
    }
  }

  /** The rules of a cluster, and these. */
  private static List<String> with(String... more) {
    return Stream.concat(Permissions.CLUSTER.stream(), Stream.of(more)).toList();
  }

  @Test
  @Rule({"B16", "L18", "RS5"})
  @DisplayName("RS5: locks shared with Redisson need three more commands, and the channels' names")
  void thePermissionsOfSharedLocks() {
    String channels = "&redisson_lock__channel:*";
    List<String> rules =
        with("~orders*", "~check~*", channels, "+spublish", "+ssubscribe", "+sunsubscribe");
    try {
      allow(rules);
      try (LockService service = shared()) {
        String orders = "orders-" + UUID.randomUUID();
        assertTrue(service.getLock(orders).tryLock());
        service.getLock(orders).unlock();
      }
      for (String rule : List.of("+spublish", "+ssubscribe", channels)) {
        allow(Permissions.without(rules, rule));
        BackendUnavailableException refusal =
            assertThrows(BackendUnavailableException.class, this::shared);
        String message = String.valueOf(refusal.getMessage());
        String command = rule.equals("+ssubscribe") ? "SSUBSCRIBE" : "SPUBLISH";
        assertTrue(message.contains("refused " + command), message);
      }
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "locks"));
    }
  }

  private LockService shared() {
    return LockService.builder().sharedBackend(open(user())).redissonInterop(true).open();
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a wrong password on a cluster is refused, and not shown")
  void aWrongPassword() {
    try {
      allow(Permissions.CLUSTER);
      String message = refusal(user().toString().replace("secret", "not-secret"));
      assertTrue(message.contains("WRONGPASS"), message);
      assertTrue(message.contains("check user and password"), message);
      assertFalse(message.contains("secret"), message);
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "locks"));
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: an opening that every node refuses leaves no connection")
  void aRefusedOpeningLeavesNoConnection() {
    try {
      allow(Permissions.without(Permissions.CLUSTER, "+cluster|slots"));
      refusal(user().toString());
      for (RedisServer node : cluster.nodes()) {
        Await.until("no connection to " + node.port(), () -> !isUsed(node));
      }
    } finally {
      cluster.nodes().forEach(node -> node.command("ACL", "DELUSER", "locks"));
    }
  }

  private static boolean isUsed(RedisServer node) {
    return String.valueOf(node.command("CLIENT", "LIST")).contains("user=locks");
  }

  private URI user() {
    return URI.create(cluster.uri().toString().replace("://", "://locks:secret@"));
  }

  /** Gives the user these rules beside those of all locks, on each node. */
  private void allow(List<String> further) {
    String rules = "reset on >secret ~mortise:* &mortise:* -@all";
    List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "locks"));
    words.addAll(List.of(rules.split(" ", -1)));
    words.addAll(Permissions.LOCKS);
    words.addAll(further);
    cluster.nodes().forEach(node -> node.command(words.toArray(String[]::new)));
  }

  private DistributedLock member(String uri) {
    LockService service = LockService.builder().sharedBackend(open(URI.create(uri))).open();
    opened.add(0, service);
    return service.getLock(name);
  }

  @Test
  @Rule({"L16", "L18"})
  @DisplayName("L18: a Redlock refuses two members of one cluster, and a quarantine of one member")
  void twoMembersOfARedlock() {
    String first = "redis-cluster://" + place(0);
    String second = "redis-cluster://" + place(4);
    DistributedLock one = member(first);
    IllegalArgumentException atOnce =
        assertThrows(
            IllegalArgumentException.class,
            () -> RedLock.of(one, member(first + "," + place(4)), member(first)));
    assertTrue(String.valueOf(atOnce.getMessage()).contains(first), atOnce::toString);

    // The members are one lock, so no attempt ever has both, and lock() waits until it is refused.
    RedLock red = RedLock.of(one, member(second));
    for (Executable call : List.<Executable>of(red::lock, red::tryLock, red::lock)) {
      String message = String.valueOf(assertThrows(IllegalStateException.class, call).getMessage());
      assertTrue(message.contains(first) && message.contains(second), message);
    }
    Await.until("what was acquired is given back", () -> !one.isLocked());

    RedLock single = RedLock.of(one);
    assertTrue(single.tryLock());
    single.unlock();
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class, () -> single.withQuarantine(Duration.ofHours(1)));
    assertTrue(String.valueOf(refusal.getMessage()).contains("hash slots"), refusal::toString);
  }

  @Test
  @Rule({"L13", "L18"})
  @DisplayName("L13: a guard with a lock takes keys with the lock's tag, and shows it otherwise")
  void aGuardWithALock() {
    LockBackend backend = open(cluster.uri());
    LockService service = LockService.builder().sharedBackend(backend).open();
    opened.add(0, service);
    FencedLock lock = service.getFencedLock(name);
    KeyGuard guard = KeyGuard.of(backend, lock);
    long token = lock.lockAndGetToken();
    guard.set('{' + name + "}:42", "17", token);
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> guard.set("other:42", "17", token));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("{other:42}") && message.contains('{' + name + '}'), message);
    KeyGuard.of(backend).set("other:" + name, "17", token);
    lock.unlock();
  }
}
