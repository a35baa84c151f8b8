package io.mortise.backend.inmemory;

import io.mortise.FencedLock;
import io.mortise.LeaderElection;
import io.mortise.LockService;
import io.mortise.LossCause;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A candidate of an election, as another process would have it. It notes what it is told. */
final class Candidate implements LeaderElection.Leader {
  static final String NAME = "reports";

  /** What it was told, such as "elected 1" and "revoked 1 FORCED", with terms counted from 1. */
  final List<String> told = new CopyOnWriteArrayList<>();

  /** The terms that it was told of. */
  final List<Long> terms = new CopyOnWriteArrayList<>();

  final LockService service;
  final FencedLock lock;
  volatile LongConsumer onElected = term -> {};
  volatile Runnable onRevoked = () -> {};
  private volatile @Nullable LeaderElection election;

  private Candidate(LockService service) {
    this.service = service;
    lock = service.getFencedLock(NAME);
  }

  /** A candidate that has not joined yet. */
  static Candidate of(LockService service) {
    return new Candidate(service);
  }

  static Candidate joined(LockService service) {
    return of(service).join();
  }

  Candidate join() {
    election = LeaderElection.join(lock, this);
    return this;
  }

  LeaderElection election() {
    return Objects.requireNonNull(election, "not joined");
  }

  boolean leads() {
    return election().isLeader();
  }

  /** The term in which it leads. */
  long term() {
    return election().term().orElseThrow();
  }

  /** How often it was told that it leads. */
  int elections() {
    return (int) told.stream().filter(each -> each.startsWith("elected ")).count();
  }

  @Override
  public void onElected(long term) {
    terms.add(term);
    told.add("elected " + terms.size());
    onElected.accept(term);
  }

  @Override
  public void onRevoked(long term, Optional<LossCause> loss) {
    told.add("revoked " + (terms.indexOf(term) + 1) + loss.map(cause -> " " + cause).orElse(""));
    onRevoked.run();
  }
}
