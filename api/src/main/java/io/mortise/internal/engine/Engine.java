package io.mortise.internal.engine;

import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mechanism of one service, composed here. Each part gets what it needs, and no part knows this
 * class. The accessors are for the package {@code lock}.
 */
public final class Engine {
  private static final Logger log = LoggerFactory.getLogger(Engine.class);

  private final Store store;
  private final RedissonChannels redissonChannels;
  private final Acquisitions acquisitions;
  private final Withdrawals withdrawals;
  private final ConditionWaiters conditions;
  private final Mailbox mailbox;
  private final LeaseEvents events;
  private final LostHolds lostHolds = new LostHolds();
  private final Voter voter;
  private final ThreadLeases threadLeases = new ThreadLeases();
  private final LeaseKeeper keeper;
  private final Releases releases;
  private final Gates gates;
  private final LeaseRequests requests;
  private final Snapshot snapshot;
  private final Closing closing;

  public Engine(
      ClientId clientId, LockBackend backend, ServiceOptions options, LeaseEvents events) {
    this.events = events;
    store = new Store(clientId, backend, options);
    voter = new Voter(store);
    redissonChannels = new RedissonChannels(store);
    acquisitions = new Acquisitions(store, redissonChannels);
    withdrawals = new Withdrawals(store, acquisitions);
    conditions = new ConditionWaiters(store);
    Deadlocks deadlocks = new Deadlocks(store, acquisitions, events);
    mailbox = new Mailbox(store, acquisitions, withdrawals, conditions, deadlocks::hear);
    keeper = new LeaseKeeper(store, acquisitions, events, deadlocks::look);
    releases = new Releases(store, acquisitions, withdrawals, events, lostHolds);
    PermitReturns permitReturns = new PermitReturns(store, withdrawals, releases);
    Parts parts =
        new Parts(
            store,
            acquisitions,
            redissonChannels,
            releases,
            permitReturns,
            keeper,
            mailbox,
            events,
            voter,
            lostHolds);
    gates = new Gates(parts, new ReadGates(parts));
    requests = new LeaseRequests(parts, gates);
    snapshot = new Snapshot(store, acquisitions, gates, requests);
    events.follow(snapshot::holds, snapshot::waits);
    closing = new Closing(store, acquisitions, gates, requests, conditions);
  }

  public Store store() {
    return store;
  }

  /** The server as a voter for Redlocks in quarantine. */
  public Voter voter() {
    return voter;
  }

  Acquisitions acquisitions() {
    return acquisitions;
  }

  public Gates gates() {
    return gates;
  }

  public LeaseRequests requests() {
    return requests;
  }

  /** What is held here, and what waits. */
  public Snapshot snapshot() {
    return snapshot;
  }

  public LeaseKeeper keeper() {
    return keeper;
  }

  public Releases releases() {
    return releases;
  }

  public Mailbox mailbox() {
    return mailbox;
  }

  public Withdrawals withdrawals() {
    return withdrawals;
  }

  public ConditionWaiters conditions() {
    return conditions;
  }

  public LeaseEvents events() {
    return events;
  }

  public LostHolds lostHolds() {
    return lostHolds;
  }

  public ThreadLeases threadLeases() {
    return threadLeases;
  }

  /** A new id for a step that takes no lock. */
  public String newStepId() {
    return acquisitions.newStepId(Thread.currentThread().getId());
  }

  /**
   * Rejects new work, ends all waits, and then waits until the holds have ended.
   *
   * @return whether they ended before the time was over, and before another call closed the service
   */
  public boolean drain(Duration longest) {
    return closing.drain(longest);
  }

  /**
   * Rejects new work, ends all waits, stops renewal, and gives back the leases that are bound to no
   * thread.
   *
   * @return whether this call closed the engine
   */
  public boolean close() {
    if (!store.phase().close()) {
      return false;
    }
    Trampoline.all(
            keeper::close,
            closing::giveBackAll,
            mailbox::close,
            redissonChannels::close,
            this::abandonHeld,
            events::close)
        .run(); // each of them: there is no second close
    return true;
  }

  private void abandonHeld() {
    List<Acquisition> held =
        acquisitions.all().stream().filter(each -> each.lease().isHeld()).toList();
    held.forEach(releases::abandon);
    logHeld(held.stream().map(each -> Names.shown(each.keys().name())).sorted().toList());
  }

  private void logHeld(List<String> held) {
    if (!held.isEmpty()) {
      log.warn(
          "service {} was closed while it held {} lock(s), which end with their leases: {}",
          store.clientId(),
          held.size(),
          held.size() <= 10 ? held : held.subList(0, 10) + " …");
    }
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
