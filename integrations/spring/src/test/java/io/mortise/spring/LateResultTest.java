package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.annotations.internal.Refusal;
import io.mortise.annotations.internal.ResultKind;
import io.reactivex.rxjava3.core.CompletableSource;
import io.reactivex.rxjava3.core.MaybeSource;
import io.reactivex.rxjava3.core.ObservableSource;
import io.reactivex.rxjava3.core.SingleSource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Future;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.flow.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Results of libraries whose work goes on, and for which Spring has no adapter here. */
class LateResultTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  interface Late {
    CompletableSource completable();

    MaybeSource maybe();

    ObservableSource observable();

    SingleSource single();

    Uni uni();

    Future future();

    Job job();

    Flow flow();

    Deferred deferred();

    DeferredResult deferredResult();

    WebAsyncTask webAsyncTask();

    ResponseBodyEmitter emitter();

    StreamingResponseBody body();

    ResponseEntity<StreamingResponseBody> bodyInEntity();
  }

  interface Over {
    ResponseEntity<String> text();

    ResponseEntity<?> unknown();

    @SuppressWarnings("rawtypes") // as careless code has it
    ResponseEntity raw();
  }

  /** A type that only inherits from one that is known. */
  interface Deferred extends Job {}

  static class Launches {
    @WithLock("stock")
    public Deferred launch() {
      throw new AssertionError("it runs");
    }
  }

  static class Hides {
    @WithLock("stock")
    public Object launch() {
      return new Deferred() {};
    }
  }

  static Stream<Method> late() {
    return Arrays.stream(Late.class.getDeclaredMethods());
  }

  static Stream<Method> over() {
    return Arrays.stream(Over.class.getDeclaredMethods());
  }

  @ParameterizedTest
  @MethodSource
  void late(Method method) {
    var refused = assertThrows(Refusal.class, () -> Results.of("it", method));
    Class<?> result = method.getReturnType();
    String type =
        (result == ResponseEntity.class ? StreamingResponseBody.class : result).getSimpleName();
    assertTrue(refused.problem().contains("returns a " + type), refused.problem());
  }

  @ParameterizedTest
  @MethodSource
  void over(Method method) {
    assertEquals(ResultKind.VALUE, Results.of("it", method));
  }

  @Test
  void aBeanWithSuchAMethodStopsTheStart() {
    world.refuses(Launches.class, "Launches.launch()", "returns a Deferred", "CompletableFuture");
  }

  @Test
  void aResultThatTheTypeDoesNotTellIsRefused() {
    Hides hides = world.start(Hides.class, Object.class);
    var refused = assertThrows(IllegalStateException.class, hides::launch);
    assertTrue(World.message(refused).contains("Hides.launch()"), World.message(refused));
    assertTrue(world.isFree("stock"));
  }
}
