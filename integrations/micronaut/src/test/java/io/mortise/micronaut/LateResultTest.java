package io.mortise.micronaut;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.io.Writable;
import io.micronaut.http.HttpResponse;
import io.mortise.LockService;
import io.mortise.junit.MortiseTest;
import io.reactivex.rxjava3.core.CompletableSource;
import io.reactivex.rxjava3.core.MaybeSource;
import io.reactivex.rxjava3.core.ObservableSource;
import io.reactivex.rxjava3.core.SingleSource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Future;
import jakarta.inject.Singleton;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.flow.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;

/** Results of libraries whose work goes on when the method has returned. */
@MortiseTest
class LateResultTest {
  @Singleton
  @Requires(property = "test", value = "Job")
  static class LateJob {
    @WithLock("a")
    Job run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "Flow")
  static class LateFlow {
    @WithLock("a")
    Flow run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "Uni")
  static class LateUni {
    @WithLock("a")
    Uni run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "Future")
  static class LateFuture {
    @WithLock("a")
    Future run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "CompletableSource")
  static class LateCompletableSource {
    @WithLock("a")
    CompletableSource run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "MaybeSource")
  static class LateMaybeSource {
    @WithLock("a")
    MaybeSource run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "ObservableSource")
  static class LateObservableSource {
    @WithLock("a")
    ObservableSource run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "SingleSource")
  static class LateSingleSource {
    @WithLock("a")
    SingleSource run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "Writable")
  static class LateWritable {
    @WithLock("a")
    Writable run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "response")
  static class LateInResponse {
    @WithLock("a")
    HttpResponse<Writable> run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "stream")
  static class StreamInResponse {
    @WithLock("a")
    HttpResponse<Publisher<String>> run() {
      throw new AssertionError();
    }
  }

  @Singleton
  @Requires(property = "test", value = "over")
  static class OverInResponse {
    @WithLock("a")
    HttpResponse<String> run() {
      return new HttpResponse<>() {};
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Job",
        "Flow",
        "Uni",
        "Future",
        "CompletableSource",
        "MaybeSource",
        "ObservableSource",
        "SingleSource",
        "Writable",
      })
  void theStartStops(String type, LockService locks) {
    Contexts.refuses(
        () -> Contexts.start(locks, type).close(), "Late" + type + ".run()", "returns a " + type);
  }

  @ParameterizedTest
  @CsvSource({"response,LateInResponse,Writable", "stream,StreamInResponse,Publisher"})
  void alsoInAResponse(String bean, String name, String type, LockService locks) {
    Contexts.refuses(
        () -> Contexts.start(locks, bean).close(), name + ".run()", "returns a " + type);
  }

  @Test
  void aResponseWhoseBodyIsThereIsAResultAsAnyOther(LockService locks) {
    try (var context = Contexts.start(locks, "over")) {
      assertNotNull(context.getBean(OverInResponse.class).run());
    }
  }
}
