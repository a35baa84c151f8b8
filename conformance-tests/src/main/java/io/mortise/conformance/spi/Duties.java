package io.mortise.conformance.spi;

import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** Shared parts of the test groups: backends that are closed after each test, and unique names. */
abstract class Duties {
  static final Duration TIMEOUT = Duration.ofSeconds(5);
  static final Script ECHO = Script.of("echo", "return {ARGV[1]}");
  static final Script INCREMENT = Script.of("increment", "return {redis.call('INCR', KEYS[1])}");
  static final Script PUBLISH =
      Script.of("publish", "return {redis.call('PUBLISH', ARGV[1], ARGV[2])}");

  private final BackendConformance suite;
  private final List<LockBackend> opened = new ArrayList<>();
  private final String names = "kit:" + UUID.randomUUID() + ':';

  Duties(BackendConformance suite) {
    this.suite = suite;
  }

  @AfterEach
  void closeBackends() {
    opened.forEach(LockBackend::close);
  }

  final BackendConformance suite() {
    return suite;
  }

  /** Opens one more backend on the store. */
  final LockBackend open() {
    return closedLater(suite.open());
  }

  final LockBackend open(URI uri) {
    return closedLater(suite.open(uri));
  }

  private LockBackend closedLater(LockBackend backend) {
    opened.add(backend);
    return backend;
  }

  /** A key or channel that no other test uses. */
  final String name(String name) {
    return names + name;
  }

  /** Keys that no other test uses, and that share a hash slot. */
  final List<String> names(String... last) {
    return Stream.of(last).map(name -> '{' + names + '}' + name).toList();
  }

  static ScriptCall echo(String text) {
    return new ScriptCall(ECHO, List.of(), List.of(text), TIMEOUT);
  }

  static ScriptCall increment(String key) {
    return new ScriptCall(INCREMENT, List.of(key), List.of(), TIMEOUT);
  }

  public static ScriptCall run(String source, List<String> keys, String... args) {
    return new ScriptCall(Script.of("inline", source), keys, List.of(args), TIMEOUT);
  }

  static Object publish(LockBackend backend, String channel, String message) {
    return backend
        .execute(new ScriptCall(PUBLISH, List.of(), List.of(channel, message), TIMEOUT))
        .get(0);
  }
}
