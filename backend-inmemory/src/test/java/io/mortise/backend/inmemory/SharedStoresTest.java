package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores that are shared by name, and their provider. */
class SharedStoresTest {
  private final String name = "shared-" + UUID.randomUUID();

  private static LockBackend open(String uri) {
    return new InMemoryBackendProvider()
        .open(new BackendConfig(URI.create(uri), Duration.ofSeconds(1), "test", Map.of()));
  }

  @Test
  void oneNameIsOneStore() {
    try (LockBackend one = open("memory:" + name);
        LockBackend other = open("memory:" + name)) {
      Calls.eval(one, "redis.call('SET', 'a', 1) return {}");
      assertEquals(List.of("1"), Calls.eval(other, "return {redis.call('GET', 'a')}"));
      assertEquals(Set.of("a"), InMemoryStore.named(name).keys());
      assertEquals("memory:" + name, one.info().endpoint());
    }
  }

  @Test
  @DisplayName(
      "B26: suppliers of users are refused, by the store and beside a backend, and not shown")
  void usersThatChangeAreRefused() {
    LockService.Builder byUri =
        LockService.builder().uri("memory:" + name).credentials(() -> Credentials.of("s3cret"));
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, byUri::open).getMessage());
    assertTrue(message.contains("leave out credentials(…)"), message);
    assertEquals(
        "credentials was already set to one already, and is now given another; set it once",
        assertThrows(
                IllegalStateException.class,
                () -> byUri.credentials(() -> Credentials.of("s3cret")))
            .getMessage());
    LockService.Builder beside =
        LockService.builder()
            .backend(open("memory:" + name))
            .sentinelCredentials(() -> Credentials.of("s3cret"));
    message = String.valueOf(assertThrows(IllegalStateException.class, beside::open).getMessage());
    assertTrue(message.contains("and not both"), message);
    assertEquals("Credentials[not shown]", new Credentials("user", "s3cret").toString());
  }

  @Test
  @DisplayName("L15: the last close drops the store with its keys")
  void theLastCloseDropsTheStore() {
    LockBackend one = open("memory:" + name);
    LockBackend other = open("memory:" + name);
    InMemoryStore store = InMemoryStore.named(name);
    Calls.eval(one, "redis.call('SET', 'a', 1) return {}");
    one.close();
    one.close();
    assertSame(store, InMemoryStore.named(name));
    assertEquals(List.of("1"), Calls.eval(other, "return {redis.call('GET', 'a')}"));
    other.close();
    // A reference to the store still shows the remaining keys.
    assertEquals(Set.of("a"), store.keys());
    InMemoryStore next = InMemoryStore.named(name);
    assertNotSame(store, next);
    assertEquals(Set.of(), next.keys());
  }

  @Test
  void anUnopenedStoreIsStillTheOneOfItsName() {
    InMemoryStore store = InMemoryStore.named(name);
    try (LockBackend backend = open("memory:" + name)) {
      Calls.eval(backend, "redis.call('SET', 'a', 1) return {}");
      assertEquals(Set.of("a"), store.keys());
    }
  }

  @Test
  void aDroppedStoreCannotBeMixedUpWithItsSuccessor() {
    InMemoryStore old = InMemoryStore.named(name);
    old.backend().close();
    // The name is free, so the old store takes it again.
    old.backend().close();
    InMemoryStore next = InMemoryStore.named(name);
    assertThrows(IllegalStateException.class, old::backend);
    next.backend().close();
  }

  @Test
  void storesWithoutANameAreNeverShared() {
    assertNotSame(InMemoryStore.create(), InMemoryStore.create());
    assertThrows(IllegalArgumentException.class, () -> InMemoryStore.named(" "));
  }

  @Test
  @DisplayName("B21: the provider is found, with the right name and version")
  void theProviderIsFound() {
    LockBackendProvider provider =
        ServiceLoader.load(LockBackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(InMemoryBackendProvider.class::isInstance)
            .findFirst()
            .orElseThrow();
    assertEquals("memory", provider.name());
    assertEquals(Set.of("memory"), provider.schemes());
    assertEquals(SpiVersion.CURRENT, provider.spiVersion());
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory:%20", "memory:/x", "memory://host", "memory:x?y=z", "redis:x"})
  @DisplayName("B16: a URI without a store name is refused with the next step")
  void aUriThatNamesNoStoreIsRefused(String uri) {
    IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> open(uri));
    assertTrue(String.valueOf(e.getMessage()).contains("write memory:name"), e.getMessage());
  }
}
