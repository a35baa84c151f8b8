package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.MemberLease;
import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("L15")
class MultiRequestTest {
  private static final int ROUNDS = 1_000;

  private final Deque<CompletableFuture<LeaseOutcome>> waiting = new ArrayDeque<>();
  private int leases;

  /** A lock that is never free to a try. The test ends its waits. */
  private Member busy(String name) {
    return of(
        Member.class,
        Map.of("name", name, "mayBeKept", false, "time", TimeSource.system()),
        this::claim);
  }

  private void claim(long wait, CompletableFuture<LeaseOutcome> claimed) {
    if (wait <= LeaseSource.NOT) {
      claimed.complete(new LeaseOutcome(null, "somebody"));
    } else {
      waiting.add(claimed);
    }
  }

  private LeaseOutcome granted() {
    leases++;
    return new LeaseOutcome(
        of(MemberLease.class, Map.of("isValid", true), (wait, claimed) -> {}), null);
  }

  @SuppressWarnings("ReferenceEquality") // identity is meant
  private <T> T of(
      Class<T> type,
      Map<String, Object> answers,
      BiConsumer<Long, CompletableFuture<LeaseOutcome>> source) {
    InvocationHandler handler =
        (proxy, method, args) -> {
          switch (method.getName()) {
            case "request" -> {
              @SuppressWarnings("unchecked")
              CompletableFuture<LeaseOutcome> claimed = (CompletableFuture<LeaseOutcome>) args[1];
              source.accept((Long) args[0], claimed);
              return null;
            }
            case "releasing" -> {
              leases--;
              return CompletableFuture.completedFuture(null);
            }
            case "equals" -> {
              return proxy == args[0];
            }
            case "hashCode" -> {
              return System.identityHashCode(proxy);
            }
            default -> {
              return answers.get(method.getName());
            }
          }
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void roundsLeaveNoCallbacksBehindAndTheEndWithdrawsWhatIsOut() {
    CompletableFuture<LeaseOutcome> whole = new CompletableFuture<>();
    MultiRequest.start("both", List.of(busy("a"), busy("b")), LeaseSource.FOREVER, whole);
    int before = whole.getNumberOfDependents();
    for (int i = 0; i < ROUNDS; i++) {
      assertTrue(waiting.remove().complete(granted()));
    }
    assertEquals(before, whole.getNumberOfDependents());
    CompletableFuture<LeaseOutcome> last = waiting.remove();
    assertFalse(last.isDone());

    whole.cancel(false);

    assertTrue(last.isCancelled());
    assertEquals(0, leases, "all are released");
    assertEquals(0, waiting.size());
  }
}
