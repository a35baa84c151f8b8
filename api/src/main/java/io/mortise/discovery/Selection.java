package io.mortise.discovery;

import io.mortise.NoBackendException;
import io.mortise.spi.LockBackendProvider;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one provider from a list, or explains why none can be chosen. Several that fit and none
 * named is an error: two processes that lock in two stores would both succeed.
 */
final class Selection {
  private Selection() {}

  /**
   * @param scheme the URI's, lower-case
   * @param name the provider asked for, or null
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
      throw new NoBackendException(problem(seen, fitting, scheme, name) + report(seen), null);
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
    String what = name == null ? "serves '" + scheme + ":'" : "is named '" + name + "'";
    return "No installed provider %s; add mortise-backend-jedis, mortise-backend-lettuce or mortise-backend-inmemory to the class path or module path."
        .formatted(what);
  }

  private static String report(List<Candidate> seen) {
    if (seen.isEmpty()) {
      return " No provider was seen (docs/troubleshooting.md#no-backend).";
    }
    return seen.stream()
        .map(Candidate::info)
        .map(info ->
            "%n  %s %s, SPI %d, schemes %s, from %s: %s"
                .formatted(
                    info.name(),
                    info.version(),
                    info.spiVersion(),
                    info.schemes().stream().sorted().toList(),
                    info.location(),
                    info.verdict()))
        .collect(Collectors.joining("", " Seen (docs/troubleshooting.md#no-backend):", ""));
  }
}
