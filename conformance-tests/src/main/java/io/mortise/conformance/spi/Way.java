package io.mortise.conformance.spi;

import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The three ways to make a call. Each one replies or throws BackendException. */
enum Way {
  EXECUTE {
    @Override
    List<Object> call(LockBackend backend, ScriptCall call) {
      return backend.execute(call);
    }
  },
  ASYNC {
    @Override
    List<Object> call(LockBackend backend, ScriptCall call) {
      return await(backend.executeAsync(call));
    }
  },
  ALL {
    @Override
    List<Object> call(LockBackend backend, ScriptCall call) {
      return await(backend.executeAll(List.of(call)).get(0));
    }
  };

  private static final List<Way> ALL_WAYS = List.of(values());

  /** The ways in rotation. */
  static Way turn(int number) {
    return ALL_WAYS.get(number % ALL_WAYS.size());
  }

  abstract List<Object> call(LockBackend backend, ScriptCall call);

  /** The result of a future, which may fail only with a BackendException (B5). */
  static List<Object> await(CompletableFuture<List<Object>> future) {
    CompletableFuture<Outcome> outcome = future.handle(Outcome::new);
    try {
      return outcome.get(30, TimeUnit.SECONDS).replyOrThrow();
    } catch (TimeoutException | ExecutionException | InterruptedException e) {
      throw new AssertionError("B5: the future did not complete within 30 s", e);
    }
  }

  private record Outcome(@Nullable List<Object> reply, @Nullable Throwable error) {
    List<Object> replyOrThrow() {
      if (error instanceof BackendException failure) {
        throw failure;
      }
      if (error != null || reply == null) {
        throw new AssertionError("B5: a future fails with BackendException, not " + error, error);
      }
      return reply;
    }
  }
}
