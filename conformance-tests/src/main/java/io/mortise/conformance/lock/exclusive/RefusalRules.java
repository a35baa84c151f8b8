package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that are out of reach, or forbid what locks need. The refusal comes at open, and is
 * clear.
 */
@Rule("L18")
public abstract class RefusalRules extends LockRules {
  private static final String SECRET = "s3cr3t-w0rd";

  /** What docs/troubleshooting.md says an ACL must allow, beside its keys and channels. */
  public static final List<String> ENOUGH =
      List.of(
          "+evalsha +eval +subscribe +unsubscribe +publish +ping +info +hello +auth +select",
          "+client|setname +client|id",
          "+time +exists +type +pttl +pexpire +del +hset +hdel +hexists +hkeys",
          "+zadd +zrem +zscore +zrange +zpopmin +zremrangebyscore");

  private final RedisKit kit;

  protected RefusalRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private LockService open(URI uri) {
    return LockService.open(uri.toString(), kit.backendName());
  }

  private URI user(String... rules) {
    String user = "user-" + name;
    String words = "ACL SETUSER " + user + " reset on >" + SECRET + ' ' + String.join(" ", rules);
    kit.server().command(words.split(" "));
    return kit.server().uri(user + ':' + SECRET);
  }

  /** Opens in vain. No part of the exception may show the secret. */
  private String refusal(URI uri) {
    BackendUnavailableException e =
        assertThrows(BackendUnavailableException.class, () -> open(uri).close());
    for (Throwable each = e; each != null; each = each.getCause()) {
      assertFalse(each.toString().contains(SECRET), "the exception shows the secret: " + each);
    }
    return String.valueOf(e.getMessage());
  }

  private static void assertContains(String part, String message) {
    assertTrue(message.contains(part), message);
  }

  @Test
  void theDocumentedPermissionsAreEnough() throws InterruptedException {
    URI uri = user("~mortise:*", "&mortise:*", "-@all", String.join(" ", ENOUGH));
    try (LockService one = open(uri);
        LockService other = open(uri)) {
      DistributedLock mine = one.getLock(name);
      DistributedLock theirs = other.getLock(name);
      mine.lock();
      Contender waiter = contender(() -> theirs.tryLock(1, TimeUnit.MINUTES));
      mine.unlock();
      assertTrue(waiter.result());
      waiter.leave(theirs::unlock);
      assertFalse(mine.forceUnlock());
      assertFalse(mine.isLocked());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hset", "pexpire", "zpopmin", "time", "publish"})
  void aForbiddenCommandIsNamed(String command) {
    String message = refusal(user("~*", "&*", "+@all", "-" + command));

    assertContains(command.toUpperCase(Locale.ROOT), message);
    assertTrue(kit.server().keys().stream().noneMatch(key -> key.contains("check~")));
  }

  @Test
  void forbiddenScriptsAreNamed() {
    assertContains("evalsha", refusal(user("~*", "&*", "+@all", "-evalsha", "-eval")));
  }

  @Test
  void forbiddenKeysAreNamed() {
    assertContains("mortise:", refusal(user("~other:*", "&*", "+@all")));
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
    String message = refusal(kit.server().uri("nobody:" + SECRET));

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
  void aReplicaIsRefused() {
    RedisServer master = kit.server();
    try (RedisServer replica =
        RedisServer.builder()
            .arguments("--replicaof", master.host() + ' ' + master.port())
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
                .uri(server.uri().toString())
                .provider(kit.backendName())
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
