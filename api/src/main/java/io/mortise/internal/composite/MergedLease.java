package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.MemberLease;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import io.mortise.spi.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The leases of several locks as one lease. It is held while enough of them are held. When too few
 * are left, it is lost for good, and the others are given back. Thread-safe.
 */
class MergedLease implements Lease {
  private final String name;
  private final int needed;
  private final TimeSource time;
  private final Executor executor;
  private final List<MemberLease> members;
  private final AtomicReference<@Nullable LeaseState> end = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final CompletableFuture<LeaseChange> loss = new CompletableFuture<>();

  /**
   * @param needed how many members must be held
   * @param executor completes futures, and runs listeners
   */
  MergedLease(
      String name,
      int needed,
      TimeSource time,
      Executor executor,
      Collection<? extends Lease> members) {
    this.name = name;
    this.needed = needed;
    this.time = time;
    this.executor = executor;
    this.members =
        new CopyOnWriteArrayList<>(members.stream().map(MergedLease::memberLease).toList());
  }

  static MemberLease memberLease(Lease member) {
    return (MemberLease) member; // every lease of a lease request is one
  }

  /** A lease that is meant to be held for long, so that no warning says it was. */
  static void staysLong(Lease lease) {
    List<MemberLease> all =
        lease instanceof MergedLease merged ? merged.members : List.of(memberLease(lease));
    all.forEach(MemberLease::staysLong);
  }

  /** Begins to watch the members. Call it once, when all of them are added. */
  void watch() {
    members.forEach(this::watch);
  }

  /** The member refers to this lease only weakly, so that a dropped lease can be noticed. */
  private void watch(Lease member) {
    WeakReference<MergedLease> self = new WeakReference<>(this);
    Lease unused =
        member.onLost(event -> {
          MergedLease still = self.get();
          if (still != null) {
            still.check(event.holder(), event.cause().orElse(LossCause.EXPIRED), event.reason());
          }
        });
  }

  /**
   * Adds a member, which counts from now on, unless there are too few without it.
   *
   * @param before the lease that it replaces; null if there is none
   * @return false if the whole is over; then the member is not released with the others
   */
  boolean add(Lease member, @Nullable Lease before) {
    check("", LossCause.EXPIRED, "too few of its members were held");
    synchronized (members) {
      if (isOver()) {
        return false;
      }
      members.add(memberLease(member));
      members.remove(before);
    }
    watch(member);
    return true;
  }

  boolean isOver() {
    return end.get() != null;
  }

  /** Called once, when the whole was released or lost. */
  void ended() {}

  @Override
  public String name() {
    return name;
  }

  // Looking

  @Override
  public LeaseState state() {
    LeaseState over = end.get();
    if (over != null) {
      return over;
    }
    if (left().isZero()) {
      lose("", LossCause.EXPIRED, "its time is over");
      return LeaseState.LOST;
    }
    long safe = members.stream().filter(each -> each.state() == LeaseState.HELD).count();
    return safe >= needed ? LeaseState.HELD : LeaseState.SUSPECT;
  }

  @Override
  public boolean isValid() {
    return isOpen() && members.stream().filter(Lease::isValid).count() >= needed;
  }

  /** Whether it is not over. Only the stores may know whether it is valid. */
  private boolean isOpen() {
    return isOpen(this);
  }

  private static boolean isOpen(Lease lease) {
    LeaseState now = lease.state();
    return now == LeaseState.HELD || now == LeaseState.SUSPECT;
  }

  /** Whether it is held. Where only the stores can say so, they are asked. */
  boolean isCertain() {
    if (isValid() || !isOpen()) {
      return isOpen();
    }
    List<CompletableFuture<Boolean>> all =
        members.stream().map(MemberLease::settling).map(CompletableFuture::copy).toList();
    Futures.join(answered(all), time);
    return isOpen() && all.stream().filter(MergedLease::isYes).count() >= needed;
  }

  @Override
  public Duration remaining() {
    return end.get() == null ? enough(Lease::remaining) : Duration.ZERO;
  }

  /** How long it is until it is lost, if the stores say nothing. */
  Duration left() {
    return enough(MemberLease::untilLost);
  }

  /** The time that is left while enough members are held. */
  private Duration enough(Function<MemberLease, Duration> time) {
    return members.stream()
        .map(time)
        .sorted(Comparator.reverseOrder())
        .skip(needed - 1L)
        .findFirst()
        .orElse(Duration.ZERO);
  }

  /** None: the tokens of the members have no common order. */
  @Override
  public OptionalLong fencingToken() {
    return OptionalLong.empty();
  }

  // Losing

  /** Checks the whole after a member has changed, or when the time may be over. */
  void check(String holder, LossCause cause, String reason) {
    if (end.get() == null && left().isZero()) {
      lose(holder, cause, reason);
    }
  }

  private void lose(String holder, LossCause cause, String reason) {
    if (end.compareAndSet(null, LeaseState.LOST)) {
      loss.complete(
          new LeaseChange(
              name, LeaseState.LOST, holder, Duration.ZERO, Optional.of(cause), reason));
      List<CompletableFuture<Void>> unused = releaseAll(0); // nobody waits for their end
      ended();
    }
  }

  @Override
  public Lease onLost(Consumer<? super LeaseChange> listener) {
    Objects.requireNonNull(listener, "listener");
    CompletableFuture<Void> unused =
        loss.thenAcceptAsync(event -> Trampoline.guarded(listener, event), executor);
    return this;
  }

  // Extending

  @Override
  public boolean extend(Duration lease) {
    time.checkMayPark();
    return Futures.join(extending(each -> each.extending(lease)), time);
  }

  @Override
  public CompletableFuture<Boolean> extendAsync(Duration lease) {
    return Futures.on(executor, extending(each -> each.extending(lease)));
  }

  /**
   * Completes on the thread that delivers the last reply: a thread that waits for it may be on the
   * executor.
   */
  CompletableFuture<Boolean> extending(Function<MemberLease, CompletableFuture<Boolean>> how) {
    LeaseState now = state();
    if (now == LeaseState.RELEASED) {
      throw new IllegalStateException("the lease of " + name + " was released; acquire again");
    }
    if (now == LeaseState.LOST) {
      return CompletableFuture.completedFuture(false);
    }
    List<CompletableFuture<Boolean>> all =
        members.stream().filter(MergedLease::isOpen).map(how).map(CompletableFuture::copy).toList();
    return answered(all).thenApply(done -> extended(all));
  }

  /**
   * A future that completes, never exceptionally, when enough is known of its members' answers.
   *
   * @param answers may be completed by this method, where it no longer waits for an answer
   */
  CompletableFuture<Void> answered(List<CompletableFuture<Boolean>> answers) {
    return Futures.settled(answers);
  }

  /**
   * Whether enough members were extended. If not, an error of a store takes precedence over a plain
   * no.
   */
  private boolean extended(List<CompletableFuture<Boolean>> all) {
    List<Throwable> errors = Futures.failures(all);
    if (all.stream().filter(MergedLease::isYes).count() >= needed) {
      return isValid();
    }
    if (!errors.isEmpty() && isValid()) {
      throw new CompletionException(errors.get(0));
    }
    return false;
  }

  /** Whether the answer has arrived and is yes. */
  static boolean isYes(CompletableFuture<Boolean> answer) {
    return answer.isDone() && !answer.isCompletedExceptionally() && answer.join();
  }

  // Ending

  @Override
  public void close() {
    time.checkMayPark();
    Futures.join(releasing(0), time);
  }

  @Override
  public void closeAfter(Duration after) {
    long rest = LeaseTerms.rest(after);
    time.checkMayPark();
    Futures.join(releasing(rest), time);
  }

  @Override
  public CompletableFuture<Void> releaseAsync() {
    return Futures.on(executor, releasing(0));
  }

  private CompletableFuture<Void> releasing(long rest) {
    if (!closed.compareAndSet(false, true)) {
      return CompletableFuture.completedFuture(null);
    }
    boolean held = isOpen() && end.compareAndSet(null, LeaseState.RELEASED);
    if (held) {
      ended();
    }
    List<CompletableFuture<Void>> all = releaseAll(rest);
    return settled(all)
        .thenRun(() -> {
          List<Throwable> errors = Futures.failures(all);
          if (!held || all.size() - errors.size() < needed) {
            throw lost(errors);
          }
        });
  }

  /**
   * A future that completes, never exceptionally, when enough is known of its members' releases.
   */
  CompletableFuture<Void> settled(List<CompletableFuture<Void>> releases) {
    return Futures.settled(releases);
  }

  /** Releases in the background a lease that nobody wants. */
  static void giveBack(Lease unwanted) {
    CompletableFuture<Void> unused = unwanted.releaseAsync();
  }

  /** Releases all members. Called after the end is set, so no member is added afterwards. */
  private List<CompletableFuture<Void>> releaseAll(long rest) {
    List<MemberLease> all;
    synchronized (members) {
      all = List.copyOf(members);
    }
    return all.stream().map(each -> each.releasing(rest)).toList();
  }

  private RuntimeException lost(List<Throwable> errors) {
    String members =
        errors.stream().map(each -> each.getMessage() + "; ").collect(Collectors.joining());
    LeaseLostException lost =
        new LeaseLostException(
            "the lease of %s is over: too few of its members are held, %d are needed; others may have held the lock since (%sdocs/troubleshooting.md#lease-lost)"
                .formatted(name, needed, members));
    errors.forEach(lost::addSuppressed);
    return lost;
  }

  @Override
  public String toString() {
    return "Lease[%s, %s, %d ms left]"
        .formatted(Names.shown(name), state(), remaining().toMillis());
  }
}
