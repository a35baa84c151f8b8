package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AclUsers;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.Permissions;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that are out of reach, or forbid what locks need. The refusal comes at open, and is
 * clear.
 */
@OnEachServer
@Rule("L18")
public abstract class RefusalRules extends LockRules {
  private final RedisKit kit;

  protected RefusalRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private LockService open(URI uri) {
    return AclUsers.open(kit, uri);
  }

  private URI user(String... rules) {
    return AclUsers.with(kit, name, List.of(rules));
  }

  /** A user with these rules, and a server that has forgotten all scripts. */
  private URI allowing(List<String> rules) {
    kit.server().command("SCRIPT", "FLUSH");
    return AclUsers.ofLocks(kit, name, rules);
  }

  /** Opens in vain. No part of the exception may show the secret. */
  private String refusal(URI uri) {
    BackendUnavailableException e =
        assertThrows(BackendUnavailableException.class, () -> open(uri).close());
    for (Throwable each = e; each != null; each = each.getCause()) {
      assertFalse(
          each.toString().contains(AclUsers.SECRET), "the exception shows the secret: " + each);
    }
    return String.valueOf(e.getMessage());
  }

  private static void assertContains(String part, String message) {
    assertTrue(message.contains(part), message);
  }

  @Test
  void theDocumentedPermissionsAreEnough() throws InterruptedException {
    URI uri = allowing(Permissions.LOCKS);
    try (LockService one = open(uri);
        LockService other = open(uri)) {
      DistributedLock mine = one.getLock(name);
      handOver(mine, other.getLock(name));
      assertFalse(mine.forceUnlock());
      assertFalse(mine.isLocked());
    }
  }

  static List<String> neededRules() {
    return Permissions.NEEDED;
  }

  @ParameterizedTest
  @MethodSource("neededRules")
  void eachDocumentedPermissionIsNeededAndNamed(String rule) {
    String message = refusal(allowing(Permissions.without(Permissions.LOCKS, rule)));

    assertContains(rule.substring(1), message.toLowerCase(Locale.ROOT));
    assertTrue(kit.server().keys().stream().noneMatch(key -> key.contains("check~")));
  }

  @Test
  void withoutTheUsefulPermissionsLocksWork() throws InterruptedException {
    URI uri = allowing(Permissions.NEEDED);
    try (LockService one = open(uri);
        LockService other = open(uri)) {
      handOver(one.getLock(name), other.getLock(name));
    }
  }

  private void handOver(DistributedLock mine, DistributedLock theirs) throws InterruptedException {
    mine.lock();
    Contender waiter = contender(() -> theirs.tryLock(1, TimeUnit.MINUTES));
    mine.unlock();
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  void findingNeedsScanAndNothingElse() {
    List<String> rules = new ArrayList<>(Permissions.LOCKS);
    rules.add("+scan");
    try (LockService service = open(allowing(rules))) {
      service.getLock(name).lock();
      assertEquals(1, service.find(name, 1).size());
      service.getLock(name).unlock();
    }
    try (LockService service = open(allowing(Permissions.LOCKS))) {
      BackendUnavailableException e =
          assertThrows(BackendUnavailableException.class, () -> service.find(name, 1));
      assertContains("+scan", String.valueOf(e.getMessage()));
    }
  }

  @Test
  void lookingAtALockNeedsZcount() {
    List<String> rules = new ArrayList<>(Permissions.LOCKS);
    rules.add("+zcount");
    try (LockService service = open(allowing(rules))) {
      DistributedLock lock = service.getLock(name);
      lock.lock();
      assertTrue(lock.isLocked() && lock.holder().isPresent());
      assertEquals(0, lock.getQueueLength());
      lock.unlock();
    }
    try (LockService service = open(allowing(Permissions.LOCKS))) {
      DistributedLock lock = service.getLock(name);
      lock.lock();
      BackendUnavailableException e = assertThrows(BackendUnavailableException.class, lock::holder);
      assertContains("docs/troubleshooting.md", String.valueOf(e.getMessage()));
      lock.unlock();
    }
  }

  @Test
  void withoutSelectOnlyDatabase0IsOpened() {
    URI uri = allowing(Permissions.LOCKS);

    assertContains("select", refusal(URI.create(uri + "/1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"+get", "+set"})
  void fencedLocksNeedGetAndSet(String only) {
    List<String> rules = new ArrayList<>(Permissions.LOCKS);
    rules.add(only);
    try (LockService service = open(allowing(rules))) {
      FencedLock lock = service.getFencedLock(name);
      BackendUnavailableException e =
          assertThrows(BackendUnavailableException.class, lock::tryLock);
      assertContains("docs/troubleshooting.md#permissions", String.valueOf(e.getMessage()));
    }
  }

  @Test
  void withoutWaitReplicaAcksAreRefused() {
    LockService.Builder builder =
        LockService.builder()
            .uri(kit.reached(allowing(Permissions.LOCKS)).toString())
            .provider(kit.provider().name())
            .replicaAcks(1, Duration.ofMillis(200));

    BackendUnavailableException e =
        assertThrows(BackendUnavailableException.class, () -> builder.open().close());

    assertContains("'wait'", String.valueOf(e.getMessage()));
  }

  @Test
  void forbiddenScriptsAreNamed() {
    assertContains("evalsha", refusal(user("~*", "&*", "+@all", "-evalsha", "-eval")));
  }

  @Test
  void forbiddenKeysAreNamed() {
    assertContains("mortise:", refusal(user("~other:*", "&*", "+@all")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/5"})
  void aForbiddenDatabaseIsNamed(String path) {
    assumeTrue(hasPermissionsForDatabases(), "the server has no permissions for databases");
    String message = refusal(URI.create(user("~*", "&*", "+@all", "db=3") + path));
    assertContains("database", message);
    assertContains("alldbs", message);
    assertFalse(message.contains("for keys"), message);
    try (LockService service = open(URI.create(user("~*", "&*", "+@all", "db=3") + "/3"))) {
      assertTrue(service.getLock(name).tryLock());
    }
  }

  private boolean hasPermissionsForDatabases() {
    try {
      user("alldbs");
      return true;
    } catch (RespException e) {
      return false;
    }
  }

  @Test
  void aForbiddenChannelIsNamed() {
    assertContains("mortise:", refusal(user("~*", "&other:*", "+@all")));
  }

  @Test
  void aForbiddenSubscribeNamesTheChannel() {
    assertContains("mortise:mail:", refusal(user("~*", "&*", "+@all", "-subscribe")));
  }

  @Test
  void aWrongPasswordIsSaid() {
    String message = refusal(kit.server().uri("nobody:" + AclUsers.SECRET));

    assertContains("WRONGPASS", message);
    assertContains("; check user and password", message);
    assertFalse(message.contains("check host"), message);
  }

  @Test
  void anUnreachableServerIsNamed() {
    RedisServer gone = RedisServer.start();
    URI uri = gone.uri();
    gone.close();

    assertContains(uri.getHost() + ':' + uri.getPort(), refusal(uri));
  }

  @Test
  void aThreadThatIsInterruptedLearnsThatItOpensNothing() {
    Thread.currentThread().interrupt();

    String message = refusal(kit.server().uri());

    assertTrue(Thread.interrupted());
    assertContains("; open it on a thread that is not interrupted", message);
  }

  /** The connection for messages may be the first that is refused. */
  @Test
  void aServerWithTooManyClientsSaysWhatToDo() {
    try (RedisServer server = RedisServer.builder().arguments("--maxclients", "1").start()) {
      String message = refusal(server.uri());

      assertContains("max number of clients", message);
      assertContains("; close connections that are not needed", message);
    }
  }

  @Test
  void aReplicaIsRefused() {
    RedisServer master = kit.server();
    try (RedisServer replica =
        RedisServer.builder()
            .arguments("--replicaof", master.host(), Integer.toString(master.port()))
            .start()) {
      assertContains("replica", refusal(replica.uri()));
    }
  }

  @Test
  void aClusterIsRefusedForNow() {
    try (RedisServer cluster =
        RedisServer.builder().arguments("--cluster-enabled", "yes").start()) {
      String message = refusal(cluster.uri());
      assertContains("cluster", message);
      assertFalse(message.contains("check host"), message);
    }
  }

  @Test
  void anUnreachableServerInUseIsUnavailableAndNotBusy() {
    try (RedisServer server = RedisServer.start();
        LockService service =
            LockService.builder()
                .uri(kit.reached(server.uri()).toString())
                .provider(kit.provider().name())
                .leaseTime(
                    Duration.ofSeconds(3)) // the time it tries if the first outcome is unknown
                .open()) {
      DistributedLock lock = service.getLock(name);
      lock.lock();
      lock.unlock();
      server.kill();

      assertThrows(BackendUnavailableException.class, () -> lockWhenNoticed(lock));
      assertThrows(BackendUnavailableException.class, lock::tryLock);
      assertThrows(
          BackendUnavailableException.class, () -> lock.tryLock(1500, TimeUnit.MILLISECONDS));
    }
  }

  /**
   * A connection that broke unnoticed may first give an unknown outcome. Then the failure is known.
   */
  private static void lockWhenNoticed(DistributedLock lock) {
    try {
      lock.lock();
    } catch (OutcomeUnknownException e) {
      lock.lock();
    }
  }
}
