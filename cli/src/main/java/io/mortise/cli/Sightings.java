package io.mortise.cli;

import io.mortise.LockService;
import io.mortise.LockStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Looks again and again which locks are held, and remembers since when. For one thread. */
final class Sightings {
  /** The order of the locks. Names decide between equals. */
  enum Sort {
    WAITERS,
    HELD,
    LEFT,
    NAME;

    private Comparator<Sighting> order() {
      Comparator<Sighting> byName = Comparator.comparing(each -> each.lock().name());
      Comparator<Sighting> first =
          switch (this) {
            case WAITERS -> Comparator.comparingInt(each -> -each.lock().waiters().size());
            case HELD -> Comparator.comparing(Sighting::held).reversed();
            case LEFT -> Comparator.comparing(each -> each.lock().leaseLeft());
            case NAME -> byName;
          };
      return first.thenComparing(byName);
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What to look for.
   *
   * @param pattern a pattern of names
   * @param limit how many locks at most
   * @param sort their order
   */
  record Question(String pattern, int limit, Sort sort) {}

  /** A hold since its first sight, in nanoseconds, and its longest lease in milliseconds. */
  private record Seen(long since, boolean whole, long longest) {}

  /** After a longer pause it is unknown when a hold began that is new. */
  private static final long RECENT = Duration.ofSeconds(10).toNanos();

  private final LockService service;
  private final Question question;
  private final LongSupplier nanoTime;
  private Map<String, Seen> before = Map.of();
  private @Nullable Long lastLook;

  Sightings(LockService service, Question question, LongSupplier nanoTime) {
    this.service = service;
    this.question = question;
    this.nanoTime = nanoTime;
  }

  int limit() {
    return question.limit();
  }

  /** Looks, which takes as long as the store is large. */
  List<Sighting> look() {
    return sight(ListCommand.find(service, question.pattern(), question.limit()));
  }

  List<Sighting> sight(List<LockStatus> locks) {
    long now = nanoTime.getAsLong();
    boolean watched = lastLook != null && now - lastLook < RECENT;
    Map<String, Seen> seen = new HashMap<>();
    List<Sighting> sightings = new ArrayList<>();
    for (LockStatus lock : locks) {
      String id = lock.kind() + lock.holders().get(0).id() + lock.name();
      long left = Math.max(1, lock.leaseLeft().toMillis());
      Seen last = before.get(id);
      Seen next =
          last == null
              ? new Seen(now, watched, left)
              : new Seen(last.since(), last.whole(), Math.max(left, last.longest()));
      seen.put(id, next);
      sightings.add(
          new Sighting(
              lock,
              Duration.ofNanos(now - next.since()),
              next.whole(),
              (double) left / next.longest()));
    }
    before = seen;
    lastLook = now;
    sightings.sort(question.sort().order());
    return sightings;
  }
}
