package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.Registration;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.MemberLease;
import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the end of a Redlock's lease waits for, and what stays behind. */
@Tag("L15")
class QuorumLeaseTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** The timers that are still pending. */
  private final List<Runnable> timers = new ArrayList<>();

  private boolean renewed;

  /** How long each question may wait. */
  private final List<Long> waits = new ArrayList<>();

  private final Map<String, CompletableFuture<LeaseOutcome>> asked = new HashMap<>();
  private final Map<String, CompletableFuture<Void>> releases = new HashMap<>();
  private final TimeSource time =
      Stub.of(TimeSource.class, Map.of("nanoTime", none -> 0L, "schedule", this::schedule));
  private final QuorumMembers members = members(Duration.ofSeconds(1));

  private QuorumMembers members(Duration timeout) {
    return new QuorumMembers(
        "red",
        List.of(member("a"), member("b"), member("c")),
        timeout,
        null,
        new MemberServers("red", List.of()));
  }

  private Object schedule(Object[] args) {
    Runnable task = () -> ((Runnable) args[0]).run(); // a new object for each call
    timers.add(task);
    TimeSource.Timer timer = () -> timers.remove(task);
    return timer;
  }

  private void runTimers() {
    List<Runnable> due = List.copyOf(timers);
    timers.clear();
    due.forEach(Runnable::run);
  }

  private Member member(String place) {
    Executor here = Runnable::run;
    Registration nothing = () -> {};
    return Stub.of(
        Member.class,
        Map.of(
            "place", none -> place,
            "lease", none -> LEASE,
            "isRenewed", none -> renewed,
            "time", none -> time,
            "executor", none -> here,
            "onClose", none -> nothing,
            "request", args -> request(place, args)));
  }

  @SuppressWarnings("unchecked")
  private Object request(String place, Object[] args) {
    waits.add((Long) args[0]);
    asked.put(place, (CompletableFuture<LeaseOutcome>) args[1]);
    return args[1];
  }

  private CompletableFuture<LeaseOutcome> asked(String place) {
    return Objects.requireNonNull(asked.get(place), place);
  }

  private static LeaseOutcome taken() {
    return new LeaseOutcome(null, "somebody");
  }

  private LeaseOutcome granted(String place) {
    return granted(place, () -> {});
  }

  /** A lease whose release the test answers. It runs the action when it begins to count. */
  private LeaseOutcome granted(String place, Runnable counts) {
    Stub.Answer release = none -> releases.computeIfAbsent(place, key -> new CompletableFuture<>());
    MemberLease lease =
        Stub.of(
            MemberLease.class,
            Map.of(
                "isValid", none -> true,
                "state", none -> LeaseState.HELD,
                "remaining", none -> LEASE,
                "untilLost", none -> LEASE,
                "joinMajority",
                    none -> {
                      counts.run();
                      return none;
                    },
                "releasing", release,
                "releaseAsync", release));
    return new LeaseOutcome(lease, null);
  }

  private CompletableFuture<LeaseOutcome> request() {
    return request(members);
  }

  private static CompletableFuture<LeaseOutcome> request(QuorumMembers members) {
    CompletableFuture<LeaseOutcome> claimed = new CompletableFuture<>();
    QuorumRequest.start(members, new QuorumOwner(null, event -> {}), LEASE.toNanos(), claimed);
    return claimed;
  }

  private static Lease lease(CompletableFuture<LeaseOutcome> claimed) {
    assertTrue(claimed.isDone());
    return Objects.requireNonNull(claimed.join().lease());
  }

  /** It would wait for one member while it holds others. */
  @Test
  void noMemberIsRecalled() {
    renewed = true; // so that members are taken again
    CompletableFuture<LeaseOutcome> claimed = request();
    List.of("a", "b").forEach(each -> asked(each).complete(granted(each)));
    asked("c").complete(taken());
    Lease lease = lease(claimed);
    runTimers();

    assertTrue(waits.size() > 3, "it asks for the third member again");
    assertEquals(Set.of(LeaseSource.AT_ONCE), Set.copyOf(waits));
    CompletableFuture<Void> unused = lease.releaseAsync();
  }

  @Test
  void noTimerOutlivesTheLease() {
    CompletableFuture<LeaseOutcome> claimed = request();
    List.of("a", "b", "c").forEach(each -> asked(each).complete(granted(each)));
    assertNotEquals(List.of(), timers, "it checks its members");

    CompletableFuture<Void> released = lease(claimed).releaseAsync();
    releases.values().forEach(each -> each.complete(null));

    assertTrue(released.isDone());
    assertEquals(List.of(), timers);
  }

  @Test
  void noTimerOutlivesAWithdrawnRequest() {
    CompletableFuture<LeaseOutcome> waits = request();
    List.of("a", "b", "c").forEach(each -> asked(each).complete(taken()));
    CompletableFuture<LeaseOutcome> pauses = request();
    List.of("a", "b", "c")
        .forEach(each ->
            asked(each).completeExceptionally(new BackendUnavailableException("down", null)));
    assertFalse(waits.isDone() || pauses.isDone());
    assertNotEquals(List.of(), timers);

    waits.cancel(false);
    pauses.cancel(false);

    assertEquals(List.of(), timers);
  }

  @Test
  void theShortestMemberTimeoutChangesNoPause() {
    List<Integer> pending = new ArrayList<>();
    for (QuorumMembers each : List.of(members, members(Duration.ofNanos(1)))) {
      CompletableFuture<LeaseOutcome> waits = request(each);
      asked("a").complete(taken());
      asked("b").complete(taken()); // and c is silent, so it looks again
      pending.add(timers.size());
      waits.cancel(false);
    }
    assertEquals(pending.get(0), pending.get(1));
  }

  /** A late answer arrives just before it would count, while another thread releases. */
  @Test
  void whatAnswersWhileItIsReleasedIsReleasedAndCountsAsFree() {
    CompletableFuture<LeaseOutcome> claimed = request();
    asked("a").complete(granted("a"));
    asked("b").complete(granted("b"));
    Lease lease = lease(claimed);
    List<CompletableFuture<Void>> ends = new ArrayList<>();

    asked("c").complete(granted("c", () -> ends.add(lease.releaseAsync())));

    assertTrue(releases.containsKey("c"), "it is released");
    Objects.requireNonNull(releases.get("a")).complete(null);
    runTimers();
    assertFalse(ends.get(0).isDone(), "one of three is free");
    Objects.requireNonNull(releases.get("c")).complete(null);
    assertTrue(ends.get(0).isDone(), "the release does not wait for b");
  }
}
