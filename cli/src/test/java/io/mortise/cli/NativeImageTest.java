package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.client.ClientSmoke;
import io.mortise.spi.LockBackendProvider;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/**
 * The metadata in the jars names everything that a native image could not find by itself. No image
 * is built. {@code docs/compatibility.md} says what that leaves open.
 */
@Tag("all")
class NativeImageTest {
  private static final Path ROOT = Path.of("..");
  private static final String SCRIPTS = "io/mortise/internal/wire/*.lua";

  /** The modules of an application with all backends. */
  private static final List<String> MODULES =
      List.of(
          "spi",
          "api",
          "backend-support",
          "backend-inmemory",
          "backend-jedis",
          "backend-lettuce",
          "cli");

  private static ImageMetadata shipped() {
    return ImageMetadata.of("mortise-api")
        .and(ImageMetadata.of("mortise-backend-support"))
        .and(ImageMetadata.of("mortise-backend-jedis"));
  }

  private static void runAsInAnImage(Class<? extends Runnable> smoke) throws Exception {
    new ImageLoader(shipped()).run(smoke);
  }

  @Test
  @DisplayName("All kinds of locks work in memory with the named resources and classes alone")
  void inMemory() throws Exception {
    runAsInAnImage(InMemory.class);
  }

  @Test
  @DisplayName("The smoke class of Jedis runs with the named resources and classes alone")
  void onJedis() throws Exception {
    runAsInAnImage(OnJedis.class);
  }

  @Test
  @DisplayName("The smoke class of Lettuce runs with the named resources and classes alone")
  void onLettuce() throws Exception {
    runAsInAnImage(OnLettuce.class);
  }

  @Test
  @DisplayName("Without the entry for the scripts no lock works, so the tests above need it")
  void withoutTheScripts() {
    ImageLoader image = new ImageLoader(shipped().withoutResources(SCRIPTS));

    Throwable error = assertThrows(LinkageError.class, () -> image.run(InMemory.class));

    assertTrue(String.valueOf(error.getCause()).contains(".lua is missing"), error::toString);
  }

  @Test
  @DisplayName("A class that code asks for by name is hidden unless it is named")
  void aClassByName() throws Exception {
    ImageMetadata naming = new ImageMetadata(Set.of(), Set.of(ByName.WANTED), Set.of());

    new ImageLoader(shipped().and(naming)).run(ByName.class);
    assertThrows(LinkageError.class, () -> runAsInAnImage(ByName.class));
  }

  @Test
  @DisplayName("Fields that are found by name are the named ones")
  void fieldsByName() {
    Set<String> used = new TreeSet<>();
    for (String module : MODULES) {
      used.addAll(calls(module).fieldsByName);
    }
    Set<String> named = new TreeSet<>(ImageMetadata.of("mortise-backend-support").members());
    named.addAll(ImageMetadata.of("mortise-api").members());
    assertEquals(named, used);
    assertEquals(
        Set.of(
            "io.mortise.backend.support.PendingCall.fate",
            "io.mortise.internal.told.ToldHold.held"),
        used);
  }

  @Test
  @DisplayName("The methods that give the pools of an application's own Jedis client are named")
  void poolsOfJedisClients() throws ReflectiveOperationException {
    Set<String> members = new TreeSet<>();
    for (String client : List.of("RedisClient", "RedisClusterClient", "JedisCluster")) {
      Class<?> type = Class.forName("redis.clients.jedis." + client);
      Method pools = type.getMethod(client.equals("RedisClient") ? "getPool" : "getClusterNodes");
      members.add(type.getName() + '.' + pools.getName());
    }
    members.add("redis.clients.jedis.JedisPooled.getPool"); // up to Jedis 7
    assertEquals(members, ImageMetadata.of("mortise-backend-jedis").members());
  }

  @Test
  @DisplayName("No other code uses reflection or resources. A new line here may need metadata")
  void everyReflectiveCall() {
    Set<String> found = new TreeSet<>();
    for (String module : MODULES) {
      found.addAll(calls(module).calls);
    }
    Set<String> known =
        Set.of(
            "ScriptFiles: Class.getResourceAsStream", // named
            "InstalledProviders: ServiceLoader.load", // every image has providers
            "Backends: ServiceLoader.load",
            "Candidate: Class.forName", // this and Registrations only make the text of an error
            // longer
            "JedisBackend: Class.getMethod", // named
            "Signals: Class.forName", // this and all that Signals does with the class are named
            "Signals: Class.getConstructor",
            "Signals: Class.getField",
            "Signals: Class.getMethod",
            "Signals: Proxy.newProxyInstance",
            "FlamePage: Class.getResourceAsStream", // named
            "TopPage: Class.getResourceAsStream", // named
            "Registrations: Class.getConstructors",
            "Registrations: ClassLoader.getResources",
            "Registrations: ClassLoader.getSystemResources");
    assertEquals(new TreeSet<>(known), found);
  }

  private static ReflectiveCalls calls(String module) {
    return ReflectiveCalls.in(ROOT.resolve(module).resolve("target/classes"));
  }

  @Test
  @DisplayName("picocli's file names every command, and what commands share")
  void commands() throws Exception {
    Set<String> named = new TreeSet<>();
    Path file =
        Path.of(
            "target/classes/META-INF/native-image/picocli-generated/io.mortise/mortise-cli",
            "reflect-config.json");
    for (JsonElement each : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
      named.add(each.getAsJsonObject().get("name").getAsString());
    }
    Set<String> missing = new TreeSet<>(commandClasses());
    for (Class<?> shared : List.of(StoreOptions.class, Printer.class, Text.Time.class)) {
      missing.add(shared.getName());
    }
    missing.removeAll(named);
    assertEquals(Set.of(), missing);
  }

  private static Set<String> commandClasses() throws IOException, ClassNotFoundException {
    Set<String> commands = new TreeSet<>();
    try (Stream<Path> files = Files.list(Path.of("target/classes/io/mortise/cli"))) {
      for (String name : files.map(each -> each.getFileName().toString()).toList()) {
        String type = "io.mortise.cli." + name.replace(".class", "");
        if (name.endsWith(".class") && !name.equals("package-info.class")) {
          if (Class.forName(type).isAnnotationPresent(Command.class)) {
            commands.add(type);
          }
        }
      }
    }
    return commands;
  }

  private static LockBackendProvider provider(String name) {
    return ServiceLoader.load(LockBackendProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  static final class OnJedis implements Runnable {
    @Override
    public void run() {
      ClientSmoke.run(provider("jedis"));
    }
  }

  static final class OnLettuce implements Runnable {
    @Override
    public void run() {
      ClientSmoke.run(provider("lettuce"));
    }
  }

  static final class ByName implements Runnable {
    static final String WANTED = "io.mortise.cli.Tally";

    @Override
    public void run() {
      try {
        Object unused = Class.forName(WANTED);
      } catch (ClassNotFoundException e) {
        throw new LinkageError("hidden", e);
      }
    }
  }

  /** One lock of each kind, and a change of holder between two services. */
  static final class InMemory implements Runnable {
    @Override
    public void run() {
      try (LockService one = LockService.open("memory:image");
          LockService two = LockService.open("memory:image")) {
        handOver(one, two);
        FencedLock fenced = one.getFencedLock("fenced");
        fenced.lock();
        fenced.unlock();
        DistributedReadWriteLock both = one.getReadWriteLock("both");
        both.readLock().lock();
        both.readLock().unlock();
        both.writeLock().lock();
        both.writeLock().unlock();
        one.getSemaphore("permits", 2).tryAcquire().orElseThrow().close();
        one.getCountDownLatch("latch").trySetCount(1);
        two.getCountDownLatch("latch").countDown();
        one.find("*", 10);
      }
    }

    private static void handOver(LockService one, LockService two) {
      one.getFairLock("fair").lock();
      CompletableFuture<Lease> next = two.getFairLock("fair").async().acquire();
      one.getFairLock("fair").unlock();
      try {
        next.get(20, TimeUnit.SECONDS).close();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }
}
