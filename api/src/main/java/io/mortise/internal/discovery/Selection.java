package io.mortise.internal.discovery;

import io.mortise.NoBackendException;
import io.mortise.ProviderInfo;
import io.mortise.spi.LockBackendProvider;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one provider from a list, or explains why none can be chosen. If several fit and the
 * caller gave no name, that is an error: two processes could choose two stores, and both would get
 * the lock.
 */
final class Selection {
  private static final Pattern REDIS = Pattern.compile("(redis|valkey)s?(-cluster|-sentinel)?");

  /** Spellings of other libraries and of clouds, such as redis+tls. */
  private static final Pattern LIKE_REDIS = Pattern.compile("(redis|valkey|tls|ssl|tcp).*");

  private Selection() {}

  /**
   * @param scheme the URI's scheme, lower-case
   * @param name the name of the requested provider, or null
   */
  static LockBackendProvider select(List<Candidate> seen, String scheme, @Nullable String name) {
    List<Candidate> fitting =
        seen.stream()
            .filter(candidate -> name == null || candidate.info().name().equals(name))
            .filter(Candidate::isUsable)
            .filter(candidate -> candidate.info().schemes().contains(scheme))
            .toList();
    LockBackendProvider provider = fitting.size() == 1 ? fitting.get(0).provider() : null;
    if (provider == null) {
      throw new NoBackendException(
          problem(seen, fitting, scheme, name) + report(seen, scheme), null);
    }
    return provider;
  }

  private static String problem(
      List<Candidate> seen, List<Candidate> fitting, String scheme, @Nullable String name) {
    if (fitting.size() > 1 && name != null) {
      return "Provider '%s' is installed %d times; remove all but one."
          .formatted(name, fitting.size());
    }
    if (fitting.size() > 1) {
      return "%d providers serve '%s:' and none is named; name one, as in LockService.open(uri, \"%s\")."
          .formatted(fitting.size(), scheme, fitting.get(0).info().name());
    }
    boolean named =
        name != null && seen.stream().anyMatch(candidate -> candidate.info().name().equals(name));
    if (named) {
      return "Provider '%s' is installed but cannot serve '%s:'.".formatted(name, scheme);
    }
    if (name == null) {
      return "No installed provider serves '%s:'; %s.".formatted(scheme, next(seen, scheme));
    }
    String next =
        isServed(seen, scheme) ? "those that are installed are below" : next(seen, scheme);
    return "No installed provider is named '%s'; %s.".formatted(name, next);
  }

  /** The next step for the user, if no provider can serve the scheme. */
  private static String next(List<Candidate> seen, String scheme) {
    if (isServed(seen, scheme)) {
      return "the one that should is not usable, see why below";
    }
    if (REDIS.matcher(scheme).matches()) {
      return add("mortise-backend-jedis or mortise-backend-lettuce");
    }
    if (scheme.equals("memory")) {
      return add("mortise-backend-inmemory");
    }
    return LIKE_REDIS.matcher(scheme).matches()
        ? "write redis://host:port, rediss://host:port for TLS, redis-cluster://host:port for a cluster, or redis-sentinel://host:26379#mymaster for sentinels"
        : "write redis://host:port or memory:name";
  }

  private static String add(String modules) {
    return "add " + modules + " to the class path or module path";
  }

  /** Whether a provider has the scheme, usable or not. */
  static boolean isServed(List<Candidate> seen, String scheme) {
    return seen.stream().anyMatch(candidate -> candidate.info().schemes().contains(scheme));
  }

  private static String report(List<Candidate> seen, String scheme) {
    if (seen.isEmpty()) {
      return " No provider was seen (docs/troubleshooting.md#no-backend).";
    }
    return seen.stream()
        .map(candidate -> line(candidate, scheme))
        .collect(Collectors.joining("", " Seen (docs/troubleshooting.md#no-backend):", ""));
  }

  private static String line(Candidate candidate, String scheme) {
    ProviderInfo info = candidate.info();
    String fits = info.schemes().contains(scheme) ? "usable" : "does not serve '" + scheme + ":'";
    return "%n  %s %s, schemes %s, from %s: %s"
        .formatted(
            info.name(),
            info.version(),
            info.schemes().stream().sorted().toList(),
            info.location(),
            info.problem().orElse(fits));
  }
}
