package io.mortise.backend.support;

import io.mortise.backend.support.sentinel.SentinelAddress;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a provider opens a backend with, read and checked.
 *
 * @param config as it was given
 * @param tls the certificates
 * @param addresses where servers are reached that are named by another address
 * @param servers the changing credentials of the servers with data; null if the URI has theirs
 * @param sentinels those of sentinels; null if properties have theirs
 */
public record RedisSettings(
    BackendConfig config,
    TlsFiles tls,
    AddressMap addresses,
    @Nullable ChangingCredentials servers,
    @Nullable ChangingCredentials sentinels) {
  /**
   * Reads what goes with the URI.
   *
   * @param config with a URI of one of the {@linkplain RedisAddress#SCHEMES schemes}
   * @return the settings
   * @throws IllegalArgumentException a property or a supplier does not fit the URI or another one
   */
  public static RedisSettings of(BackendConfig config) {
    boolean isSentinel = SentinelAddress.isMeantBy(config.uri());
    Set<String> mapped = isCluster(config) ? Set.of(AddressMap.PROPERTY) : Set.of();
    TlsFiles tls = TlsFiles.of(config, isSentinel ? SentinelAddress.PROPERTIES : mapped);
    Set<String> watched =
        isSentinel ? Set.of(SentinelAddress.USER, SentinelAddress.PASSWORD) : Set.of();
    RedisSettings settings =
        new RedisSettings(
            config,
            tls,
            AddressMap.of(config),
            ChangingCredentials.ofServers(config),
            ChangingCredentials.ofSentinels(config, watched));
    Credentials unused = SentinelAddress.ofSentinels(config.properties()); // refuses what is amiss
    return settings;
  }

  /**
   * Whether the URI is one of a cluster.
   *
   * @return true for {@code redis-cluster} and its like
   */
  public boolean isCluster() {
    return isCluster(config);
  }

  private static boolean isCluster(BackendConfig config) {
    return config.uri().getScheme().toLowerCase(Locale.ROOT).endsWith("-cluster");
  }

  /**
   * Opens a backend. The suppliers are asked before anything connects. So one that fails is the
   * reason that is told, and one that hangs is waited for once, however many servers there are.
   *
   * @param opening connects
   * @return its result
   * @throws io.mortise.spi.BackendException a supplier failed, or {@code opening} did
   */
  @SuppressWarnings("try") // both are in use meanwhile
  public LockBackend open(Supplier<LockBackend> opening) {
    try (AutoCloseable first = begin(servers);
        AutoCloseable second = begin(sentinels)) {
      return opening.get();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("nothing else is thrown", e);
    }
  }

  private AutoCloseable begin(@Nullable ChangingCredentials credentials) {
    if (credentials == null) {
      return () -> {};
    }
    ChangingCredentials.User user = credentials.join(config.endpoint(), () -> {});
    try {
      ChangingCredentials.Answer unused = user.ask();
      return user;
    } catch (CredentialFault e) {
      user.close();
      throw RedisServers.refusal(config.endpoint(), e);
    }
  }

  /**
   * The address of a sentinel.
   *
   * @param set the address of the set
   * @param place the sentinel's host and port
   * @return an address with the user and password of the properties, if they have any
   */
  public RedisAddress sentinel(SentinelAddress set, String place) {
    return set.sentinel(place, SentinelAddress.ofSentinels(config.properties()));
  }
}
