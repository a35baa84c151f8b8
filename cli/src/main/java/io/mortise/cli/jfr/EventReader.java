package io.mortise.cli.jfr;

import io.mortise.cli.jfr.Recorded.Deadlock;
import io.mortise.cli.jfr.Recorded.Hold;
import io.mortise.cli.jfr.Recorded.Loss;
import io.mortise.cli.jfr.Recorded.Place;
import io.mortise.cli.jfr.Recorded.Sample;
import io.mortise.cli.jfr.Recorded.Span;
import io.mortise.cli.jfr.Recorded.Wait;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/** Takes the events of locks from one recording. A field that an older version lacks is empty. */
final class EventReader implements Consumer<RecordedEvent> {
  /** {@code client:sequence:thread}, and suffixes. */
  private static final Pattern ID = Pattern.compile("(.+~\\d+~[0-9a-f]+):\\d+:(\\d{1,18})(?::.*)?");

  private static final Pattern THRESHOLD = Pattern.compile("(\\d{1,9}) ?(ns|us|ms|s|m)");

  private static final String EVENTS_THREAD = "mortise-events";
  private static final long USUAL_THRESHOLD = TimeUnit.SECONDS.toNanos(1);

  private final String process;
  private final Stacks stacks = new Stacks();
  private final Set<String> clients = new HashSet<>();
  private final List<Wait> waits = new ArrayList<>();
  private final List<Hold> holds = new ArrayList<>();
  private final List<Loss> losses = new ArrayList<>();
  private final List<Deadlock> deadlocks = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Map<Long, Long> thresholds = new HashMap<>();
  private long holdType = -1;

  EventReader(String process) {
    this.process = process;
  }

  @Override
  public void accept(RecordedEvent event) {
    switch (event.getEventType().getName()) {
      case "io.mortise.LockWait" -> addWait(event);
      case "io.mortise.LockHold" -> addHold(event);
      case "io.mortise.LeaseLost" -> addLoss(event);
      case "io.mortise.Deadlock" -> addDeadlock(event);
      case "io.mortise.LockState" -> addState(event);
      case "jdk.ActiveSetting" -> addSetting(event);
      default -> {}
    }
  }

  private void addWait(RecordedEvent event) {
    String holder = text(event, "holder");
    Place by = ofLease(thread(event.getThread()), holder);
    Span span = span(event, by);
    waits.add(
        new Wait(
            span,
            text(event, "outcome"),
            text(event, "via"),
            holder,
            stacks.ofApplication(event.getStackTrace())));
    long server = event.hasField("serverTime") ? event.getLong("serverTime") : 0;
    if (server > 0) {
      long replied = span.end() - event.getLong("replyAge");
      long sent = replied - event.getLong("roundTrip");
      samples.add(
          new Sample(process, span.lock(), TimeUnit.MICROSECONDS.toNanos(server), sent, replied));
    }
  }

  private void addHold(RecordedEvent event) {
    holdType = event.getEventType().getId();
    String holder = text(event, "holder");
    RecordedThread known =
        event.hasField("holdingThread") ? event.getThread("holdingThread") : event.getThread();
    Place by = known == null ? place("", threadOf(holder)) : thread(known);
    holds.add(
        new Hold(
            span(event, by),
            text(event, "end"),
            text(event, "via"),
            holder,
            stacks.ofApplication(event.getStackTrace())));
  }

  private void addLoss(RecordedEvent event) {
    String holder = text(event, "holder");
    Place by = place("", threadOf(holder));
    losses.add(new Loss(span(event, by), holder, text(event, "cause"), text(event, "reason")));
  }

  private void addDeadlock(RecordedEvent event) {
    List<String> parties = text(event, "text").lines().skip(1).map(String::strip).toList();
    deadlocks.add(new Deadlock(place("", -1), nanos(event.getStartTime()), parties));
  }

  private void addState(RecordedEvent event) {
    String holder = text(event, "holder");
    String thread = text(event, "threadName");
    long end = nanos(event.getEndTime());
    Place by = place(thread, thread.isEmpty() ? threadOf(holder) : -1);
    long begin = end - event.getLong("since");
    Span span = new Span(by, text(event, "lock"), text(event, "kind"), begin, end);
    if (holder.isEmpty()) {
      waits.add(new Wait(span, Recorded.LASTS, "", "", List.of()));
    } else {
      holds.add(new Hold(span, Recorded.LASTS, "", holder, List.of()));
    }
  }

  /** Notes thresholds. Which one is that of holds is known from the first hold alone. */
  private void addSetting(RecordedEvent event) {
    Matcher time = THRESHOLD.matcher(text(event, "value"));
    if (text(event, "name").equals("threshold") && time.matches()) {
      long number = Long.parseLong(time.group(1));
      thresholds.put(
          event.getLong("id"),
          switch (time.group(2)) {
            case "ns" -> number;
            case "us" -> TimeUnit.MICROSECONDS.toNanos(number);
            case "ms" -> TimeUnit.MILLISECONDS.toNanos(number);
            case "s" -> TimeUnit.SECONDS.toNanos(number);
            default -> TimeUnit.MINUTES.toNanos(number);
          });
    }
  }

  private Span span(RecordedEvent event, Place by) {
    return new Span(
        by,
        text(event, "lock"),
        text(event, "kind"),
        nanos(event.getStartTime()),
        nanos(event.getEndTime()));
  }

  /** The events of a lease come on a thread of the executor, so its place is that of its id. */
  private Place ofLease(Place told, String holder) {
    long thread = threadOf(holder);
    return told.thread().equals(EVENTS_THREAD) ? place("", thread) : told;
  }

  private long threadOf(String holder) {
    Matcher id = ID.matcher(holder);
    if (!id.matches()) {
      return -1;
    }
    clients.add(id.group(1));
    return Long.parseLong(id.group(2));
  }

  private Place thread(@Nullable RecordedThread thread) {
    return thread == null
        ? place("", -1)
        : place(name(thread), thread.getJavaThreadId() > 0 ? thread.getJavaThreadId() : -1);
  }

  /** The name of a thread; a virtual one often has none. */
  static String name(RecordedThread thread) {
    String name = thread.getJavaName();
    return name == null || name.isEmpty() ? "thread-" + thread.getJavaThreadId() : name;
  }

  private Place place(String thread, long id) {
    return new Place(process, thread, id);
  }

  private static String text(RecordedEvent event, String field) {
    String text = event.hasField(field) ? event.getString(field) : null;
    return text == null ? "" : text;
  }

  static long nanos(Instant time) {
    return Math.addExact(TimeUnit.SECONDS.toNanos(time.getEpochSecond()), time.getNano());
  }

  String process() {
    return process;
  }

  /** The ids of its services. */
  Set<String> clients() {
    return clients;
  }

  List<Wait> waits() {
    return waits;
  }

  List<Hold> holds() {
    return holds;
  }

  List<Loss> losses() {
    return losses;
  }

  List<Deadlock> deadlocks() {
    return deadlocks;
  }

  List<Sample> samples() {
    return samples;
  }

  boolean isEmpty() {
    return waits.isEmpty() && holds.isEmpty() && losses.isEmpty();
  }

  /** Holds that last shorter are left out (ns). */
  long shortestHold() {
    return thresholds.getOrDefault(holdType, USUAL_THRESHOLD);
  }
}
