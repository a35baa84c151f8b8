package io.mortise.internal.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.NoBackendException;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionTest {
  private record Provider(String name, int spiVersion, Set<String> schemes)
      implements LockBackendProvider {
    @Override
    public LockBackend open(BackendConfig config) {
      throw new UnsupportedOperationException("selection opens nothing");
    }
  }

  private static final Candidate JEDIS = provider("jedis", SpiVersion.CURRENT, "redis", "rediss");
  private static final Candidate LETTUCE =
      provider("lettuce", SpiVersion.CURRENT, "redis", "rediss");
  private static final Candidate MEMORY = provider("memory", SpiVersion.CURRENT, "memory");

  private static Candidate provider(String name, int spiVersion, String... schemes) {
    return Candidate.of(new Provider(name, spiVersion, Set.of(schemes)));
  }

  private static String select(List<Candidate> seen, String scheme, @Nullable String name) {
    return Selection.select(seen, scheme, name).name();
  }

  private static String refusal(List<Candidate> seen, String scheme, @Nullable String name) {
    NoBackendException e =
        assertThrows(NoBackendException.class, () -> Selection.select(seen, scheme, name));
    String message = String.valueOf(e.getMessage());
    for (Candidate each : seen) {
      boolean serves = each.info().schemes().contains(scheme);
      String fits = serves ? "usable" : "does not serve '" + scheme + ":'";
      String verdict = each.info().problem().orElse(fits);
      String line =
          message
              .lines()
              .filter(one -> one.contains(each.info().name() + ' '))
              .findFirst()
              .orElse("");
      assertTrue(line.endsWith(": " + verdict), message);
    }
    return message;
  }

  @Test
  void theOnlyOneThatServesTheSchemeIsChosen() {
    assertEquals("memory", select(List.of(JEDIS, LETTUCE, MEMORY), "memory", null));
    assertEquals("jedis", select(List.of(JEDIS, MEMORY), "redis", null));
  }

  @Test
  void theProviderOfThatNameIsChosenAmongSeveral() {
    assertEquals("lettuce", select(List.of(JEDIS, LETTUCE, MEMORY), "rediss", "lettuce"));
  }

  @Test
  void severalProvidersWithoutAChoiceAreAnError() {
    String message = refusal(List.of(JEDIS, LETTUCE), "redis", null);

    assertTrue(message.contains("2 providers serve 'redis:'"), message);
    assertTrue(message.contains("LockService.open(uri, \"jedis\")"), message);
  }

  @Test
  void noneInstalledIsAnErrorThatSaysWhatToAdd() {
    String message = refusal(List.of(), "redis", null);

    assertTrue(message.contains("mortise-backend-jedis"), message);
    assertTrue(message.contains("No provider was seen"), message);
  }

  @Test
  void anUnknownSchemeIsAnError() {
    String message = refusal(List.of(JEDIS, MEMORY), "mysql", null);

    assertTrue(message.contains("serves 'mysql:'; write redis://host:port"), message);
    assertFalse(message.contains("mortise-backend"), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"redis+tls", "rediss+cluster", "redis-socket", "valkey+srv", "tls", "tcp"})
  void anotherSpellingOfRedisLeadsToTheRightOne(String scheme) {
    String message = refusal(List.of(JEDIS, MEMORY), scheme, null);

    assertTrue(message.contains("rediss://host:port for TLS, redis-cluster://"), message);
  }

  @Test
  void onlyWhatIsMissingIsToBeAdded() {
    String redis = refusal(List.of(MEMORY), "redis", null);
    String memory = refusal(List.of(JEDIS), "memory", null);

    assertTrue(redis.contains("add mortise-backend-jedis or mortise-backend-lettuce"), redis);
    assertFalse(redis.contains("mortise-backend-inmemory"), redis);
    assertTrue(memory.contains("add mortise-backend-inmemory to"), memory);
  }

  @Test
  void sentinelsNeedAClientForRedis() {
    String message = refusal(List.of(MEMORY), "redis-sentinel", null);
    assertTrue(message.contains("add mortise-backend-jedis or mortise-backend-lettuce"), message);
  }

  @Test
  void anUnknownNameIsAnError() {
    assertTrue(refusal(List.of(JEDIS), "redis", "lettuce").contains("is named 'lettuce'"));
  }

  @Test
  void aChosenProviderThatDoesNotServeTheSchemeIsAnError() {
    assertTrue(
        refusal(List.of(JEDIS, MEMORY), "redis", "memory").contains("cannot serve 'redis:'"));
  }

  @Test
  void twoOfOneNameAreAnError() {
    String message = refusal(List.of(JEDIS, JEDIS), "redis", "jedis");

    assertTrue(message.contains("installed 2 times"), message);
  }

  @Test
  void anotherSpiVersionIsNotUsableAndSaysWhy() {
    Candidate old = provider("jedis", SpiVersion.CURRENT + 1, "redis");

    String message = refusal(List.of(old), "redis", null);

    assertTrue(message.contains("made for SPI version 2, this is 1"), message);
    assertTrue(message.contains("not usable, see why below"), message);
  }

  @Test
  void aProviderThatDoesNotLoadIsReportedAndHarmsNoOther() {
    Candidate broken =
        Candidate.broken("?", "somewhere.jar", new IllegalStateException("no class"));

    assertEquals("jedis", select(List.of(broken, JEDIS), "redis", null));
    assertTrue(refusal(List.of(broken), "redis", null).contains("no class"));
  }
}
