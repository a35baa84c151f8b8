package io.mortise.micronaut;

import io.micronaut.context.annotation.Requires;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import io.mortise.micronaut.WithLock.IfBusy;
import io.mortise.micronaut.WithLock.Kind;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reactivestreams.Publisher;

/** An annotation that does not fit its method stops the start, with what to do. */
@MortiseTest
class BadInputTest {
  @Singleton
  @Requires(property = "test", value = "unknown")
  static class Unknown {
    @WithLock("orders:{number}")
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "index")
  static class Index {
    @WithLock("orders:{1}")
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "blank")
  static class Blank {
    @WithLock
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "brace")
  static class Brace {
    @WithLock("orders:{id")
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "plain")
  static class Plain {
    @WithLock("orders:#id")
    void run(long id) {}
  }

  /** An expression of Micronaut itself. */
  @Singleton
  @Requires(property = "test", value = "expression")
  static class Expression {
    @WithLock("orders:#{#id}")
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "property")
  static class Property {
    @WithLock("orders:${no.such}")
    void run(long id) {}
  }

  @Singleton
  @Requires(property = "test", value = "both")
  static class Both {
    @WithLock(name = "a", names = "b")
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "tokens")
  static class Tokens {
    @WithLock(
        names = {"a", "b"},
        kind = Kind.FENCED)
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "skip")
  static class Skip {
    @WithLock(name = "a", ifBusy = IfBusy.SKIP)
    int run() {
      return 1;
    }
  }

  @Singleton
  @Requires(property = "test", value = "wait")
  static class Wait {
    @WithLock(name = "a", waitFor = "10")
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "short")
  static class ShortLease {
    @WithLock(name = "a", lease = "1ms")
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "times")
  static class TwoTimes {
    @WithLock(name = "a", lease = "1s", maxHold = "1m")
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "atLeast")
  static class AtLeast {
    @WithLock(name = "a", atLeast = "1s")
    CompletableFuture<Void> run() {
      return CompletableFuture.completedFuture(null);
    }
  }

  @Singleton
  @Requires(property = "test", value = "publisher")
  static class Reactive {
    @WithLock("a")
    Publisher<String> run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "flow")
  static class FlowPublisher {
    @WithLock("a")
    Flow.Publisher<String> run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "future")
  static class PlainFuture {
    @WithLock("a")
    Future<String> run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "service")
  static class OtherService {
    @WithLock(name = "a", service = "other")
    void run() {}
  }

  @Singleton
  @Requires(property = "test", value = "fine")
  static class Fine {
    @WithLock("a")
    void run() {}
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "unknown | {number} in its lock name \"orders:{number}\" | they are [id]",
        "index | {1} in its lock name | they are [id]",
        "blank | a blank lock name | @WithLock(\"orders\")",
        "brace | braces do not match | {name}",
        "plain | \"#id\" in its lock name as plain text | Write {id}",
        "expression | Expression.run(long) has an attribute that cannot be read | {name}",
        "property | no.such | give it a default",
        "both | a name and names | names",
        "tokens | no common fencing token | Remove kind",
        "skip | would have no result | an Optional",
        "wait | waitFor = \"10\" | 5s",
        "short | lease = \"1ms\" | 10 ms",
        "times | a lease and a maxHold | Remove one",
        "atLeast | atLeast | Remove",
        "publisher | returns a Publisher | mortise-reactor",
        "flow | returns a Publisher | mortise-reactor",
        "future | returns a Future | CompletableFuture",
        "service | the lock service 'other' | define a bean",
      })
  void theStartStops(String test, String problem, String nextStep, LockService locks) {
    Contexts.refuses(() -> Contexts.start(locks, test).close(), "BadInputTest", problem, nextStep);
  }

  @Test
  void aMethodWithoutAnyServiceStopsTheStart() {
    Contexts.refuses(
        () -> Contexts.startAlone("fine").close(),
        "Fine.run() needs a lock service, and there is none",
        "mortise.uri");
  }

  @Test
  void severalServicesOfWhichNoneIsNamedStopTheStart(LockWorld world) {
    Contexts.refuses(
        () -> Contexts.start(List.of(world.service(), world.anotherProcess()), "fine").close(),
        "there are several",
        "service = ");
  }
}
