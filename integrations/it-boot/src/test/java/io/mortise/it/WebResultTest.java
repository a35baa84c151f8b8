package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.spring.WithLock;
import io.mortise.spring.WithLockConfiguration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;

/** Results whose work begins or goes on when Spring MVC has them. */
class WebResultTest {
  static class Deferred {
    @WithLock("a")
    public DeferredResult<String> work() {
      return new DeferredResult<>();
    }
  }

  static class Called {
    @WithLock("a")
    public Callable<String> work() {
      return () -> "late";
    }
  }

  static class AsyncTask {
    @WithLock("a")
    public WebAsyncTask<String> work() {
      return new WebAsyncTask<>(() -> "late");
    }
  }

  static class Emitter {
    @WithLock("a")
    public ResponseBodyEmitter work() {
      return new ResponseBodyEmitter();
    }
  }

  static class Events {
    @WithLock("a")
    public SseEmitter work() {
      return new SseEmitter();
    }
  }

  static class Body {
    @WithLock("a")
    public StreamingResponseBody work() {
      return out -> {};
    }
  }

  static class BodyInEntity {
    @WithLock("a")
    public ResponseEntity<StreamingResponseBody> work() {
      return ResponseEntity.ok(out -> {});
    }
  }

  static class EventsInEntity {
    @WithLock("a")
    public HttpEntity<SseEmitter> work() {
      return new HttpEntity<>(new SseEmitter());
    }
  }

  static class FluxInEntity {
    @WithLock("a")
    public ResponseEntity<Flux<String>> work() {
      return ResponseEntity.ok(Flux.just("late"));
    }
  }

  static class Plain {
    @WithLock("a")
    public ResponseEntity<String> work() {
      return ResponseEntity.ok("over");
    }
  }

  static class Hides {
    @WithLock("a")
    public Object work() {
      return new SseEmitter();
    }
  }

  private final LockService locks = LockService.open("memory:web-results");

  @AfterEach
  void close() {
    locks.close();
  }

  private <T> AnnotationConfigApplicationContext start(Class<T> bean) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.registerBean(LockService.class, () -> locks, each -> each.setDestroyMethodName(""));
    context.register(WithLockConfiguration.class, bean);
    context.refresh();
    return context;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Deferred.class,
        Called.class,
        AsyncTask.class,
        Emitter.class,
        Events.class,
        Body.class,
        BodyInEntity.class,
        EventsInEntity.class,
        FluxInEntity.class
      })
  void stopsTheStart(Class<?> bean) {
    var refused = assertThrows(RuntimeException.class, () -> start(bean).close());
    String problem = NestedExceptionUtils.getMostSpecificCause(refused).getMessage();
    assertTrue(problem.contains(bean.getSimpleName() + ".work()"), problem);
    assertTrue(problem.contains("may go on after that without the lock"), problem);
  }

  @Test
  void anEntityWhoseBodyIsThereIsAResultAsAnyOther() {
    try (var context = start(Plain.class)) {
      assertEquals("over", context.getBean(Plain.class).work().getBody());
    }
  }

  @Test
  void aResultThatTheTypeDoesNotTellIsRefused() {
    try (var context = start(Hides.class)) {
      Hides hides = context.getBean(Hides.class);
      var refused = assertThrows(IllegalStateException.class, hides::work);
      assertTrue(refused.getMessage().contains("SseEmitter"), refused.getMessage());
    }
  }
}
