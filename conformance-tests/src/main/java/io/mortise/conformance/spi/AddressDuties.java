package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import io.mortise.LockService;
import io.mortise.NoBackendException;
import io.mortise.conformance.Rule;
import io.mortise.spi.BackendConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Addresses that cannot be used, with a password in them. */
abstract class AddressDuties extends Duties {
  private static final int MANY = 10_000;
  private static final String SECRET = "s3cr3t";
  private static final String HOST = "127.0.0.1:1";
  private static final List<String> RAW =
      List.of("/", "#", "?", "@", " ", "%", "%zz", "[", "]", "\"", "<", ">", "\\", "^", "{", "|");

  private final BackendConformance suite;
  private final Random random = new Random(29);
  private final Set<String> shown = new TreeSet<>();

  AddressDuties(BackendConformance suite) {
    super(suite);
    this.suite = suite;
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B18: of ten thousand wrong URIs none is opened, and no text shows a password")
  void noTextShowsAPassword() {
    for (int i = 0; i < MANY; i++) {
      refused(wrongUri(), i);
    }
    assertEquals(Set.of(), shown);
  }

  private <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** A URI with one fault. */
  private String wrongUri() {
    List<String> schemes = new ArrayList<>(suite.provider().schemes());
    schemes.add("unknown");
    String scheme = any(schemes);
    String user = any(List.of("", "user", "u%20r"));
    String login = user + ':' + SECRET + '@';
    String end = scheme.endsWith("-sentinel") ? "#m" : "";
    String places = scheme.startsWith("redis-") ? HOST + ",127.0.0.1:2" : HOST;
    String raw = any(List.of("", "1", "a", "6379", "127.0.0.1:1")) + any(RAW);
    String bad = any(List.of("0", "65536", "port", "-1", "1x", "99999999999"));
    return switch (random.nextInt(9)) {
      case 0, 1, 2 -> scheme + "://" + user + ':' + raw + SECRET + '@' + places + end;
      case 3 -> scheme + "://" + user + ':' + SECRET + any(RAW) + "x@" + places + end;
      case 4 -> scheme + "://" + login + "127.0.0.1:" + bad + end;
      case 5 -> scheme + "://" + login + places + "/" + any(List.of("a", "0/1", "-1", "1x")) + end;
      case 6 -> scheme + "://" + login + places + "/0?timeout=" + SECRET + end;
      case 7 -> scheme + any(List.of(":", ":/")) + login + places + end;
      default -> scheme + "://" + login + any(List.of("", "/0", ":1", ",", "a,,b")) + end;
    };
  }

  private void refused(String text, int number) {
    try {
      URI uri = new URI(text);
      BackendConfig config =
          new BackendConfig(uri, Duration.ofMillis(200), "mortise-kit", Map.of("no", "property"));
      look(text, config.toString());
      BackendConfig known = new BackendConfig(uri, Duration.ofMillis(200), "mortise-kit", Map.of());
      refused(text, () -> suite.provider().open(number % 2 == 0 ? known : config).close());
    } catch (URISyntaxException e) { // the application never gets so far
      refused(text, () -> LockService.builder().uri(text));
    }
    if (number % 50 == 0) {
      refused(
          text,
          () -> LockService.builder().uri(text).provider(suite.provider().name()).open().close());
    }
  }

  private void refused(String text, Runnable opening) {
    try {
      opening.run();
    } catch (IllegalArgumentException | NoBackendException e) { // before anything is connected
      Deque<Throwable> todo = new ArrayDeque<>(List.of(e));
      Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
      while (!todo.isEmpty()) {
        Throwable next = todo.remove();
        if (seen.add(next)) {
          look(text, next.toString());
          todo.addAll(List.of(next.getSuppressed()));
          if (next.getCause() != null) {
            todo.add(next.getCause());
          }
        }
      }
      return;
    }
    fail("it was opened: " + text);
  }

  private void look(String uri, String text) {
    if (text.contains(SECRET)) {
      shown.add(uri + " -> " + text);
    }
    assertFalse(text.isBlank());
  }
}
