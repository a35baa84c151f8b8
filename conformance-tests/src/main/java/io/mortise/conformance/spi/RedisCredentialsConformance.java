package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.spi.ChangingUsers.Kind;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.LogCapture;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.CredentialSuppliers;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Users and passwords that change while a backend is open: of a single server, of the nodes of a
 * cluster, and of sentinels and the master that they name.
 *
 * <pre>{@code
 * class JedisCredentialsConformanceTest extends RedisCredentialsConformance {
 *   @Override protected LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 *
 * <p>{@code -Dmortise.soak=60} sets the length of the test under load in seconds.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class RedisCredentialsConformance implements BackendUnderTest {
  private static final long SECONDS = Long.getLong("mortise.soak", 5);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private ChangingUsers users;

  /** For the subclass of a backend's author. */
  protected RedisCredentialsConformance() {}

  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name() + "-credentials";
  }

  @BeforeAll
  void startServers() {
    users = new ChangingUsers();
  }

  @AfterAll
  void endServers() {
    end.countDown();
    if (users != null) {
      users.close();
    }
  }

  @AfterEach
  void closeBackends() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
  }

  private LockBackend open(Kind kind) {
    return open(kind, users.ofServers());
  }

  private LockBackend open(Kind kind, Supplier<Credentials> servers) {
    boolean watched = kind == Kind.SENTINEL;
    return open(
        users.uri(kind),
        Map.of(),
        new CredentialSuppliers(servers, watched ? users.ofSentinels() : null));
  }

  private LockBackend open(
      URI uri, Map<String, String> properties, CredentialSuppliers credentials) {
    LockBackend backend =
        provider()
            .open(
                new BackendConfig(
                    uri, Duration.ofSeconds(2), "mortise-kit", properties, credentials));
    opened.add(backend);
    return backend;
  }

  private static boolean works(LockBackend backend) {
    try {
      return backend.execute(Duties.echo("x")).equals(List.of("x"));
    } catch (BackendException e) {
      return false;
    }
  }

  /** The message of a failure, which has all of the parts and no secret. */
  private static String assertSays(Throwable failure, String... parts) {
    String message = String.valueOf(failure.getMessage());
    for (String part : parts) {
      assertTrue(message.contains(part), () -> "'" + part + "' is missing: " + message);
    }
    for (Throwable e = failure; e != null; e = e.getCause()) {
      assertKept(e.toString());
    }
    return message;
  }

  private static void assertKept(String text) {
    assertFalse(text.contains(ChangingUsers.SECRET), () -> "B18: a secret is shown: " + text);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B26")
  @DisplayName("B26: a new connection asks for the user and password that are valid now")
  void aNewConnectionAsks(Kind kind) {
    LockBackend backend = open(kind);
    assertTrue(works(backend));
    users.change();
    users.endOld(); // all connections end at once
    Await.until("new connections have the new user", () -> works(backend));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B11", "B26"})
  @DisplayName("B26: living connections authenticate again, also at rest, and no message is lost")
  void livingConnectionsAuthenticateAgain(Kind kind) {
    LockBackend backend = open(kind);
    Recorder recorder = new Recorder();
    backend.subscribe("kit:credentials", recorder);
    recorder.awaitSigns("+");
    for (int i = 0; i < 2; i++) {
      users.change();
      users.awaitRenewed();
      users.endOld();
      assertTrue(works(backend), "an idle connection was not renewed");
      Duties.publish(backend, "kit:credentials", "hello-" + i);
      recorder.awaitMessage("hello-" + i);
    }
    assertEquals("+", recorder.signs());
    users.change();
    users.endOld();
    Await.until("a connection that is made again asks again", () -> works(backend));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B25", "B26"})
  @DisplayName(
      "B26: under load, no call fails while users change every few seconds and old ones end")
  void noCallFailsUnderLoad(Kind kind) throws InterruptedException {
    LockService service = LockService.builder().backend(open(kind)).open();
    opened.add(service);
    LockService other = LockService.builder().backend(open(kind)).open();
    opened.add(other);
    AtomicLong holds = new AtomicLong();
    long until = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            6,
            number -> {
              LockService own = number % 2 == 0 ? service : other;
              DistributedLock lock = own.getLock("credentials-" + number / 4);
              while (System.nanoTime() < until) {
                lock.lock();
                holds.incrementAndGet();
                lock.unlock();
                if (number == 5) {
                  LockSupport.parkNanos(400_000_000); // its connection rests
                }
              }
            });
    int changes = 0;
    while (System.nanoTime() < until) {
      users.change();
      users.awaitRenewed();
      users.endOld();
      changes++;
      LockSupport.parkNanos(1_500_000_000);
    }
    crew.join(Duration.ofSeconds(30)); // fails if a call failed
    assertTrue(holds.get() > 100 && changes > 1, holds + " holds, " + changes + " changes");
  }

  @Test
  @Rule("B26")
  @DisplayName("B26: while nothing changes, no command is sent for it")
  void nothingIsSentWhileNothingChanges() {
    LockBackend backend = open(Kind.SINGLE);
    AtomicLong asked = new AtomicLong();
    LockBackend counted =
        open(
            Kind.SINGLE,
            () -> {
              asked.incrementAndGet();
              return users.ofServers().get();
            });
    counted.subscribe("kit:quiet", new Recorder());
    assertTrue(works(backend) && works(counted));
    long before = users.auths();
    long looks = asked.get() + 3;
    Await.until("the supplier is asked once a second", () -> asked.get() >= looks);
    assertEquals(before, users.auths());
  }

  @Test
  @Rule("B26")
  @DisplayName("B26: a new password of the same user is used by living connections too")
  void aNewPasswordOfTheSameUser() {
    LockBackend backend = open(Kind.SINGLE);
    Recorder recorder = new Recorder();
    backend.subscribe("kit:password", recorder);
    recorder.awaitSigns("+");
    assertTrue(works(backend));
    long before = users.auths();
    users.changePasswords();
    Await.until("all connections have sent AUTH", () -> users.auths() >= before + 2);
    assertTrue(works(backend));
    users.single.command("CLIENT", "KILL", "TYPE", "normal");
    Await.until("new connections have the new password", () -> works(backend));
  }

  @Test
  @Rule({"B11", "B26"})
  @DisplayName("B26: with the older protocol, the connection for messages is made again in time")
  void theOlderProtocol() {
    try (RedisServer old =
        RedisServer.builder().arguments("--rename-command", "HELLO", "").start()) {
      AtomicReference<Credentials> current = new AtomicReference<>();
      current.set(user(old, "1"));
      LockBackend backend = open(old.uri(), Map.of(), new CredentialSuppliers(current::get, null));
      Recorder recorder = new Recorder();
      backend.subscribe("kit:old", recorder);
      Await.until("it is subscribed", () -> recorder.signs().endsWith("+"));
      String before = recorder.signs(); // a busy machine may need a second attempt
      current.set(user(old, "2"));
      recorder.awaitSigns(before + "-+");
      Await.until(
          "all have the new user",
          () -> !String.valueOf(old.command("CLIENT", "LIST")).contains("user-1 "));
      old.command("ACL", "DELUSER", ChangingUsers.SECRET + "user-1");
      assertTrue(works(backend));
      Duties.publish(backend, "kit:old", "hello");
      recorder.awaitMessage("hello");
    }
  }

  private static Credentials user(RedisServer server, String number) {
    String user = ChangingUsers.SECRET + "user-" + number;
    String password = ChangingUsers.SECRET + "word-" + number;
    server.command("ACL", "SETUSER", user, "on", ">" + password, "~*", "&*", "+@all");
    return new Credentials(user, password);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "B26", "L18"})
  @DisplayName("B26: a supplier that throws at opening is the reason, with its words")
  void aSupplierThatThrows(Kind kind) {
    Supplier<Credentials> broken =
        () -> {
          throw new IllegalStateException("no vault", new IOException("timed out"));
        };
    assertSays(
        refused(kind, broken),
        "the supplier of credentials(…) gave no credentials",
        "IllegalStateException: no vault",
        "let it return the user and password that are valid now");
    assertSays(refused(kind, () -> null), "it returned null", "let it return");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "B26", "L18"})
  @DisplayName("B26: a supplier that hangs at opening is the reason, and the opening ends in time")
  void aSupplierThatHangs(Kind kind) {
    long start = System.nanoTime();
    assertSays(
        refused(kind, this::hang),
        "the supplier of credentials(…) gave no answer within 3000 ms",
        "let it keep its answer");
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(Duration.ofSeconds(10)) < 0, took::toString);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B16", "B18", "B26", "L18"})
  @DisplayName("B26: a wrong password at opening is refused with the server's words")
  void aWrongPasswordAtOpening(Kind kind) {
    assertSays(
        refused(kind, () -> new Credentials(ChangingUsers.SECRET, ChangingUsers.SECRET)),
        "WRONGPASS",
        "check user and password");
  }

  /** The reason why a service does not open; a cluster may say it when it is first used. */
  private Throwable refused(Kind kind, Supplier<Credentials> servers) {
    BackendException refusal =
        assertThrows(BackendException.class, () -> open(kind, servers), kind::toString);
    assertEquals(Outcome.NOT_EXECUTED, refusal.outcome(), refusal::toString);
    return refusal;
  }

  private Credentials hang() {
    boolean interrupted = false;
    while (end.getCount() > 0) { // as long as the tests run
      try {
        end.await();
      } catch (InterruptedException e) {
        interrupted = true;
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return Credentials.of("none");
  }

  @Test
  @Rule({"B18", "B26"})
  @DisplayName(
      "B26: a supplier that fails for a while costs open connections nothing, and is logged")
  void aSupplierThatFailsForAWhile() {
    AtomicReference<Supplier<Credentials>> supplier = new AtomicReference<>(users.ofServers());
    try (LogCapture log = LogCapture.start()) {
      LockBackend backend = open(Kind.SINGLE, () -> supplier.get().get());
      assertTrue(works(backend));
      List<Supplier<Credentials>> failing =
          List.of(
              () -> {
                throw new IllegalStateException("no vault");
              },
              this::hangForAWhile,
              () -> new Credentials(users.ofServers().get().user(), ChangingUsers.SECRET));
      List<String> said = List.of("no vault", "gave no answer within", "WRONGPASS");
      for (int i = 0; i < failing.size(); i++) {
        log.clear();
        supplier.set(failing.get(i));
        String words = said.get(i);
        Await.until(
            () -> words + " is logged: " + log.text(),
            Await.patience(),
            () -> log.text().contains(words));
        for (int calls = 0; calls < 50; calls++) {
          assertTrue(works(backend), () -> "a call failed while the supplier did: " + words);
        }
        supplier.set(users.ofServers());
        users.change();
        users.awaitRenewed(); // a look has found the supplier well again
        assertKept(log.text());
      }
    }
  }

  private Credentials hangForAWhile() {
    LockSupport.parkNanos(Duration.ofSeconds(5).toNanos());
    return users.ofServers().get();
  }

  @Test
  @Rule({"B17", "B26"})
  @DisplayName("B17: close ends the looks at a supplier, also at one that hangs")
  void closeEndsTheLooks() {
    AtomicReference<Supplier<Credentials>> supplier = new AtomicReference<>(users.ofServers());
    LockBackend backend = open(Kind.SINGLE, () -> supplier.get().get());
    supplier.set(this::hang);
    Await.until(
        "the supplier hangs",
        () ->
            Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getMethodName().equals("hang")));
    long start = System.nanoTime();
    backend.close();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(Duration.ofSeconds(5)) < 0, took::toString);
    Await.until(
        "no thread looks any more",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().startsWith("mortise-credentials")));
  }

  @Test
  @Rule({"B16", "B18", "B26"})
  @DisplayName("B16: suppliers that do not fit the URI or a property are refused")
  void unfitSuppliers() {
    CredentialSuppliers both = new CredentialSuppliers(users.ofServers(), users.ofSentinels());
    CredentialSuppliers servers = new CredentialSuppliers(users.ofServers(), null);
    URI single = users.uri(Kind.SINGLE);
    String secret = ChangingUsers.SECRET;
    assertSays(
        malformed(single, Map.of(), both),
        "names no sentinels",
        "leave out sentinelCredentials(…)");
    assertSays(
        malformed(URI.create("redis://:" + secret + "@localhost"), Map.of(), servers),
        "has a user or password, and credentials(…) is set too",
        "leave out one of the two");
    assertSays(
        malformed(users.uri(Kind.SENTINEL), Map.of("sentinel.password", secret), both),
        "'sentinel.password' and sentinelCredentials(…) say the same");
  }

  private Throwable malformed(
      URI uri, Map<String, String> properties, CredentialSuppliers credentials) {
    return assertThrows(IllegalArgumentException.class, () -> open(uri, properties, credentials));
  }

  @Test
  @Rule({"B26", "L18"})
  @DisplayName("B26: the builder of a service takes the suppliers")
  void theBuilderTakesThem() {
    try (LockService service =
        LockService.builder()
            .uri(users.uri(Kind.SENTINEL).toString())
            .provider(provider().name())
            .credentials(users.ofServers())
            .sentinelCredentials(users.ofSentinels())
            .open()) {
      DistributedLock lock = service.getLock("builder");
      lock.lock();
      lock.unlock();
    }
    assertSays(
        assertThrows(
            BackendUnavailableException.class,
            () ->
                LockService.builder()
                    .uri(users.uri(Kind.SINGLE).toString())
                    .provider(provider().name())
                    .credentials(() -> new Credentials("nobody", ChangingUsers.SECRET))
                    .open()),
        "WRONGPASS",
        "check user and password");
  }
}
