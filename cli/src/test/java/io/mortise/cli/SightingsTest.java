package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Kind;
import io.mortise.LockService;
import io.mortise.LockStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What top says of the age of a hold. */
class SightingsTest {
  private final AtomicLong clock = new AtomicLong();
  private final LockService service = LockService.open("memory:sightings");
  private final Sightings sightings =
      new Sightings(service, new Sightings.Question("*", 10, Sightings.Sort.LEFT), clock::get);

  private static LockStatus lock(String name, String id, int seconds) {
    Duration left = Duration.ofSeconds(seconds);
    LockStatus.Holder holder = new LockStatus.Holder(id, "client", "host", 1, 1, left);
    return new LockStatus(name, Kind.PLAIN, left, List.of(holder), List.of());
  }

  private void pass(int seconds) {
    clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void aHoldThatWasThereBeforeMayBeOlder() {
    assertFalse(sightings.sight(List.of(lock("a", "1", 30))).get(0).whole());
    pass(2);
    Sighting later = sightings.sight(List.of(lock("a", "1", 15))).get(0);
    assertEquals("> 2 s", later.heldText());
    assertEquals(0.5, later.share());
  }

  @Test
  void aHoldThatBeganMeanwhileHasItsWholeTime() {
    sightings.sight(List.of(lock("a", "1", 30)));
    pass(1);
    assertTrue(sightings.sight(List.of(lock("a", "2", 30))).get(0).whole(), "another holder");
    pass(3);
    assertEquals("3 s", sightings.sight(List.of(lock("a", "2", 28))).get(0).heldText());
  }

  @Test
  void afterALongPauseNothingIsCertain() {
    sightings.sight(List.of());
    pass(60);
    assertFalse(sightings.sight(List.of(lock("a", "1", 30))).get(0).whole());
  }

  @Test
  void theOrderIsTheOneAskedFor() {
    List<Sighting> seen = sightings.sight(List.of(lock("a", "1", 30), lock("b", "2", 10)));
    assertEquals("b", seen.get(0).lock().name());
  }
}
