package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The wall clock steps while a Redlock waits with some of its members. */
class RedClockStepTest implements BackendUnderTest {
  private final List<InMemoryStore> stores =
      Stream.generate(InMemoryStore::withMovableTime).limit(5).toList();
  private final List<LockService> mine = services();
  private final List<LockService> theirs = services();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private List<LockService> services() {
    return stores.stream().map(each -> LockService.of(each.backend())).toList();
  }

  @AfterEach
  void close() {
    mine.forEach(LockService::close);
    theirs.forEach(LockService::close);
  }

  /** What it has is in doubt in its next round, so it asks for that again. */
  @ParameterizedTest
  @CsvSource({"0,1", "1,2", "2,3", "3,4", "0,4"})
  @Rule({"L15", "L16"})
  void noMemberIsLeftBehind(int free, int alsoFree) {
    theirs.forEach(each -> each.getLock("x").lock());
    theirs.get(free).getLock("x").unlock();
    theirs.get(alsoFree).getLock("x").unlock();
    CompletableFuture<Lease> waiting =
        RedLock.of(mine.stream().map(each -> each.getLock("x")).toArray(LeasedLock[]::new))
            .async()
            .acquire();

    stores.forEach(each -> each.stepWallClock(Duration.ofHours(1)));
    stores.forEach(each -> each.advance(Duration.ofMillis(100)));
    waiting.cancel(false);

    assertTrue(theirs.get(free).getLock("x").tryLock());
    assertTrue(theirs.get(alsoFree).getLock("x").tryLock());
  }
}
