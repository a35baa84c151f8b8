package io.mortise.conformance.outside;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds times in which a lock was free while a reachable waiter waited.
 *
 * <p>A lock counts as free when no client can have it. A client can have it while it holds it. It
 * can also have it for one lease after its process is gone or after a command without an answer. A
 * waiter counts while nothing disturbs its process, its links and its server. Other waiters may die
 * and freeze meanwhile. That costs grant windows, and the queue bounds them all together.
 */
final class GapCheck {
  /** The grant window, the time after which a silent waiter is gone, and some slack. */
  private static final long WITH_FAULTS = 15_000_000_000L;

  /** L10 says "within seconds". */
  private static final long WITHOUT = 5_000_000_000L;

  private final History history;

  /** A waiter, and a time in which it should have been granted the lock. */
  record Gap(String resource, Stay waiter, Span span) {}

  private GapCheck(History history) {
    this.history = history;
  }

  static List<Violation> of(History history) {
    GapCheck check = new GapCheck(history);
    return check.gaps().filter(check::isTooLong).map(GapCheck::violation).toList();
  }

  static Optional<Gap> longest(History history) {
    return new GapCheck(history).gaps().max(Comparator.comparingLong(gap -> gap.span().length()));
  }

  private Stream<Gap> gaps() {
    List<Gap> all = new ArrayList<>();
    for (String resource : history.resources()) {
      List<Stay> stays = history.staysAt(resource);
      List<Span> taken = stays.stream().flatMap(stay -> taken(stay).stream()).toList();
      for (Stay waiter : stays) {
        for (Span span : waiting(waiter)) {
          Span.without(span, taken).forEach(gap -> all.add(new Gap(resource, waiter, gap)));
        }
      }
    }
    return all.stream();
  }

  private boolean isTooLong(Gap gap) {
    boolean calm =
        history.faults().stream()
            .noneMatch(fault -> fault.isWithin(gap.span().from(), gap.span().until(), WITH_FAULTS));
    return gap.span().length() > (calm ? WITHOUT : WITH_FAULTS);
  }

  private static Violation violation(Gap gap) {
    String text = "free from %s while %s waited".formatted(gap.span(), gap.waiter());
    return new Violation(Violation.Sort.GAP, gap.resource(), gap.span().from(), text);
  }

  /** When the attempt may have held the lock, as far as its worker knew. */
  private List<Span> taken(Stay stay) {
    long decided = Math.min(stay.decided(), history.endOfProcess(stay));
    List<Span> spans = new ArrayList<>();
    if (stay.resources().size() > 1) {
      spans.add(new Span(stay.begin(), decided)); // it acquires its locks one by one
    }
    history
        .faultsOf(stay)
        .filter(fault -> fault.sort().silences() && fault.isWithin(stay.begin(), decided, 0))
        .map(fault -> unheard(stay, fault))
        .forEach(spans::add);
    if (stay.isInside()) {
      spans.add(new Span(stay.entered(), end(stay)));
    } else if (stay.isFailed() || stay.refused() == Stay.NEVER) {
      spans.add(new Span(decided - stay.wants().lease(), afterLease(stay, decided)));
    }
    return spans;
  }

  /** When the store may have granted the lock although the worker did not hear of it. */
  private Span unheard(Stay stay, Fault fault) {
    long from = Math.max(stay.begin(), fault.begin());
    long until = afterLease(stay, fault.end() + History.AFTERMATH);
    return new Span(from, Math.min(until, stay.entered()));
  }

  /** When the store can have nothing left of a hold. */
  private long end(Stay stay) {
    if (stay.lost() != Stay.NEVER) {
      return stay.lost();
    }
    if (stay.freed() == Stay.NEVER) {
      return afterLease(stay, history.endOfProcess(stay));
    }
    boolean clean = !stay.isFailed() && !history.isDisturbed(stay, stay.leaving(), stay.freed());
    return clean ? stay.freed() : afterLease(stay, stay.freed());
  }

  /** A server's clock that is set back makes the server's keys last longer. */
  private long afterLease(Stay stay, long from) {
    long end = Math.max(from + Math.max(stay.wants().lease(), Stay.WINDOW), stay.claimed());
    return history
        .faultsOf(stay)
        .filter(fault -> fault.sort() == Fault.Sort.CLOCK_BACK && fault.isWithin(from, end, 0))
        .mapToLong(fault -> end + fault.millis() * 1_000_000)
        .max()
        .orElse(end);
  }

  private List<Span> waiting(Stay stay) {
    if (stay.wants().limit() == 0 || stay.resources().size() > 1) {
      return List.of(); // an attempt without time does not wait, and several locks have no queue
    }
    long until = Math.min(stay.decided(), history.endOfProcess(stay));
    List<Span> disturbed =
        history
            .faultsOf(stay)
            .filter(fault -> fault.sort() != Fault.Sort.FORCED)
            .map(fault -> new Span(fault.begin(), fault.end() + fault.millis() * 1_000_000))
            .toList();
    return Span.without(new Span(stay.begin(), until), disturbed);
  }
}
