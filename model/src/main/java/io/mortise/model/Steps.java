package io.mortise.model;

import static io.mortise.model.State.NONE;

import io.mortise.model.State.Service.Life;
import io.mortise.model.Waiter.Phase;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The steps that are possible in one state, and the states that they lead to.
 *
 * <p>Messages arrive in any order, except that a reply comes at once unless a fault delays it. So
 * does a command where D is 0. Time passes only when nothing is due: no message, and no timer of a
 * running process. A process is never slow by accident. Slowness is a fault: a delayed message or a
 * frozen process.
 */
final class Steps {
  private final State from;
  private final BiConsumer<Step, State> to;
  private final Setup setup;

  Steps(State from, BiConsumer<Step, State> to) {
    this.from = from;
    this.to = to;
    setup = from.setup;
  }

  void all() {
    if (from.faultsLeft > 0) {
      faults();
    }
    for (Message message : from.messages) {
      if (isPrompt(message)) {
        deliver(message);
        return;
      }
    }
    boolean due = deliveries();
    due |= waiters();
    services();
    if (!due) {
      step(Step.TIME, Steps::tick);
    }
  }

  private void step(Step step, Consumer<State> change) {
    State next = from.copy();
    change.accept(next);
    if (setup.allows(Choice.TRY)) {
      next.watchTries();
    }
    to.accept(step, next);
  }

  // Messages

  private boolean isPrompt(Message message) {
    return message.due() == 0 && !message.kind().isMail() && arrives(message);
  }

  /** Returns whether one must arrive before time passes. */
  private boolean deliveries() {
    boolean due = false;
    for (Message message : from.messages) {
      if (arrives(message)) {
        due |= message.due() == 0;
        deliver(message);
      }
    }
    return due;
  }

  /** A frozen process hears nothing and sends nothing. */
  private boolean arrives(Message message) {
    if (message.isPost()) {
      int sender = message.sender();
      return sender == from.services.length || from.services[sender].life == Life.RUNNING;
    }
    return message.kind().isCommand() || from.runs(from.waiterOf(message.id()));
  }

  private void deliver(Message message) {
    if (message.kind().isCommand()) {
      step(
          Step.script(message),
          next -> {
            next.messages.remove(message);
            new Scripts(next).run(message);
          });
    } else if (message.isPost()) {
      post(message);
    } else {
      step(
          Step.hear(message),
          next -> {
            next.messages.remove(message);
            new Arrivals(next).hear(message);
          });
    }
  }

  /** A caller that has given its command up after a fault may have dropped the reply. */
  private void post(Message message) {
    step(
        Step.post(message.sent(0)),
        next -> {
          next.messages.remove(message);
          new Posts(next).send(message);
        });
    if (message.unheard() && from.faultsLeft < setup.mostFaults()) {
      step(
          Step.client("a reply comes too late, and its message is never sent", ""),
          next -> next.messages.remove(message));
    }
  }

  // Waiters

  /** Returns whether one must act before time passes. */
  private boolean waiters() {
    boolean due = false;
    for (int w = 0; w < from.waiters.length; w++) {
      if (from.runs(w)) {
        due |= duty(w);
        choices(w);
      }
    }
    return due;
  }

  private boolean duty(int w) {
    Clients.Duty duty = new Clients(from).duty(from.waiters[w]);
    if (duty == Clients.Duty.NONE) {
      return false;
    }
    step(Step.client(duty.text(), State.waiterName(w)), next -> new Clients(next).perform(w, duty));
    return true;
  }

  /** What a waiter may do and need not. */
  private void choices(int w) {
    Waiter waiter = from.waiters[w];
    String name = State.waiterName(w);
    boolean unanswered = waiter.phase == Phase.ASKING && waiter.since > 0;
    if (waiter.phase == Phase.IDLE && isQuiet(w)) {
      step(Step.client("%s wants the lock", name), next -> new Clients(next).start(w));
      if (setup.allows(Choice.TRY)) {
        step(Step.client("%s tries to lock", name), next -> new Clients(next).tryLock(w));
      }
    }
    if ((waiter.phase == Phase.WAITING || unanswered) && !waiter.tries()) {
      step(
          Step.client("%s does not want the lock any more", name),
          next -> new Clients(next).giveUp(w));
    }
    if (waiter.holds()) {
      step(Step.client("%s unlocks", name), next -> new Clients(next).release(w));
    }
    if (new Clients(from).mayHandOff(waiter)) {
      step(
          Step.client("a thread of %s hands its hold off to another", name),
          next -> new Clients(next).handOff(w));
    }
    if (waiter.phase == Phase.HANDED_OFF) {
      step(
          Step.client("the thread of %s that was woken gives up", name),
          next -> new Clients(next).giveUpHandedOff(w));
    }
    retention(w);
    if (waiter.holds() && setup.allows(Choice.REST)) {
      step(
          Step.client("%s unlocks, and the lock is kept for a rest of time", name),
          next -> new Clients(next).linger(w));
    }
    if (waiter.holds() && setup.allows(Choice.EXTEND) && waiter.since == State.NONE) {
      step(Step.client("%s makes its lease longer", name), next -> new Clients(next).extend(w));
    }
  }

  /** A request that cannot take the hold, and closing, give back what is kept. */
  private void retention(int w) {
    Waiter waiter = from.waiters[w];
    String name = State.waiterName(w);
    if (waiter.holds() && new Clients(from).mayRetain(waiter)) {
      step(
          Step.client("a thread of %s unlocks, and its process keeps the hold", name),
          next -> new Clients(next).retain(w));
    }
    if (new Clients(from).mayTakeAgain(waiter)) {
      step(
          Step.client("a thread of %s takes the hold that is kept", name),
          next -> new Clients(next).takeOver(w));
    }
    if (waiter.has() && setup.allows(Choice.OTHER_LEASES) && !waiter.otherLease) {
      step(
          Step.client("a thread with another lease comes to the gate of %s", name),
          next -> new Clients(next).comeWithOtherLease(w));
    }
    if (waiter.phase == Phase.RETAINING) {
      step(
          Step.client("the process of %s gives back what it keeps", name),
          next -> new Clients(next).giveBack(w));
    }
  }

  /**
   * A thread begins again after the reply to its last command. Delayed commands may be out. At most
   * one of its old ids is remembered, so that there are finitely many states.
   */
  private boolean isQuiet(int w) {
    for (Message message : from.messages) {
      if (from.waiterOf(message.id()) == w && message.due() <= setup.times().delay()) {
        return false;
      }
    }
    return from.idsOf(w) <= 1;
  }

  // Services

  private void services() {
    for (int each = 0; each < from.services.length; each++) {
      int s = each;
      String name = State.serviceName(s);
      if (from.services[s].life == Life.FROZEN) {
        step(Step.client("process %s goes on", name), next -> next.services[s].life = Life.RUNNING);
      }
      if (from.services[s].life == Life.RUNNING && from.services[s].deaf) {
        step(
            Step.client("the mailbox of process %s is subscribed again", name),
            next -> {
              next.services[s].deaf = false;
              new Arrivals(next).reconnected(s);
            });
      }
      if (from.services[s].life == Life.RUNNING && from.services[s].halfOpen) {
        step(
            Step.client("process %s finds out that its mailbox gets no messages", name),
            next -> {
              next.services[s].halfOpen = false;
              next.services[s].deaf = true;
              new Arrivals(next).missed(s);
            });
      }
    }
  }

  // Faults

  private void faults() {
    for (Message message : from.messages) {
      if (message.due() <= setup.times().delay() && !message.unheard()) {
        Fault lost = Fault.losing(message);
        Fault late = Fault.delaying(message);
        fault(lost, Step.fault(lost, message), next -> lose(next, message));
        fault(
            late,
            Step.fault(late, message),
            next -> replace(next, message, message.within(setup.times().lateness())));
      }
      if (message.kind().isMail()) {
        fault(
            Fault.REPEAT_MAIL,
            Step.fault(Fault.REPEAT_MAIL, message),
            next -> next.messages.add(message.within(setup.times().lateness())));
      }
    }
    for (int s = 0; s < from.services.length; s++) {
      if (from.services[s].life == Life.RUNNING) {
        faultsOf(s);
      }
    }
    if (!from.store.isFree()) {
      fault(Fault.FORCE, next -> new Scripts(next).force());
    }
    fault(Fault.DELETE_QUEUE, next -> next.store.deleteQueue());
    fault(Fault.DELETE_ALIVE, next -> next.store.deleteAlive());
    fault(Fault.FAILOVER, Steps::failOver);
    fault(Fault.RESTART, Steps::restart);
  }

  private void faultsOf(int s) {
    String name = State.serviceName(s);
    fault(Fault.CRASH, Step.fault(Fault.CRASH, name), next -> crash(next, s));
    fault(Fault.FREEZE, Step.fault(Fault.FREEZE, name), next -> stop(next, s, Life.FROZEN));
    if (!from.services[s].deaf) {
      fault(
          Fault.DISCONNECT,
          Step.fault(Fault.DISCONNECT, name),
          next -> {
            next.services[s].deaf = true;
            new Arrivals(next).missed(s);
          });
    }
    if (from.messages.stream().anyMatch(each -> Posts.isOnTheLinkOf(from, s, each))) {
      fault(
          Fault.BREAK_LINK,
          Step.fault(Fault.BREAK_LINK, name),
          next -> next.messages.removeIf(each -> Posts.isOnTheLinkOf(from, s, each)));
    }
    if (!from.services[s].deaf && !from.services[s].halfOpen) {
      fault(
          Fault.HALF_OPEN,
          Step.fault(Fault.HALF_OPEN, name),
          next -> next.services[s].halfOpen = true);
    }
  }

  private void fault(Fault fault, Consumer<State> change) {
    fault(fault, Step.fault(fault, ""), change);
  }

  private void fault(Fault fault, Step step, Consumer<State> change) {
    if (setup.allows(fault)) {
      step(
          step,
          next -> {
            next.faultsLeft--;
            change.accept(next);
          });
    }
  }

  /** A lost leave is sent again after the timeout, so it comes late. Anything else is gone. */
  private void lose(State next, Message message) {
    if (message.kind().isLeave()) {
      int again = setup.times().timeout() + setup.times().delay();
      replace(next, message, message.abandoned().within(again));
    } else {
      next.messages.remove(message);
      new Posts(next).lost(message);
    }
  }

  private static void replace(State next, Message message, Message by) {
    next.messages.remove(message);
    next.messages.add(by);
  }

  private static void stop(State next, int service, Life life) {
    next.stops(service);
    next.services[service].life = life;
  }

  private static void crash(State next, int service) {
    stop(next, service, Life.CRASHED);
    for (int w = 0; w < next.waiters.length; w++) {
      if (next.setup.serviceOf(w) == service) {
        next.waiters[w].rest();
      }
    }
    next.messages.removeIf(each ->
        (each.isPost() && each.sender() == service)
            || (!each.kind().isCommand() && next.serviceOf(each.id()) == service));
  }

  /** Connections break with the old master, so all that wait ask the new one. */
  private static void failOver(State next) {
    next.store.set(next.replica);
    next.failedOver = true;
    next.revived = next.store.holder;
    reconnectAll(next);
  }

  private static void restart(State next) {
    next.store.set(new Store(next.waiters.length, next.services.length));
    next.failedOver = true;
    reconnectAll(next);
  }

  private static void reconnectAll(State next) {
    for (int s = 0; s < next.services.length; s++) {
      new Arrivals(next).reconnected(s);
    }
  }

  // Time

  /** Whether a live waiter waits while threads of a process that runs have the lock. */
  private static boolean isKeptFromOthers(State state) {
    boolean held = false;
    boolean wanted = false;
    for (int w = 0; w < state.waiters.length; w++) {
      Waiter waiter = state.waiters[w];
      held |= waiter.has() && waiter.id == state.store.holder && state.runs(w);
      wanted |= waiter.phase == Phase.WAITING && state.runs(w);
    }
    return held && wanted && state.setup.allows(Choice.HAND_OFF);
  }

  /** Whether a live waiter waits for a hold that no thread of a process that runs uses. */
  private static boolean isKeptUnused(State state) {
    boolean unused = false;
    boolean wanted = false;
    for (int w = 0; w < state.waiters.length; w++) {
      Waiter waiter = state.waiters[w];
      boolean has = waiter.isUnused() && waiter.id == state.store.holder && state.runs(w);
      unused |= has;
      wanted |= (waiter.phase == Phase.WAITING && state.runs(w)) || (has && waiter.otherLease);
    }
    return unused && wanted && state.setup.allows(Choice.ASK);
  }

  private static void stay(State next, Waiter waiter) {
    Times times = next.setup.times();
    boolean untilAsked = next.setup.allows(Choice.ASK) && waiter.alone;
    int longest = untilAsked ? Math.max(times.cap(), times.retain()) : times.handOff();
    waiter.inside = waiter.holds() ? Math.min(times.section(), waiter.inside + 1) : 0;
    waiter.age = Math.min(longest, waiter.age + 1);
    if (next.setup.allows(Choice.ASK)) {
      waiter.asked = waiter.asked == NONE ? NONE : Math.min(times.handOff(), waiter.asked + 1);
      waiter.ended =
          waiter.id == next.store.holder ? 0 : Math.min(times.delay() + 1, waiter.ended + 1);
    }
  }

  private static void tick(State next) {
    Times times = next.setup.times();
    for (int w = 0; w < next.waiters.length; w++) {
      Waiter waiter = next.waiters[w];
      boolean starves = waiter.waits() && next.runs(w) && !next.store.leased;
      waiter.starving = starves ? waiter.starving + 1 : 0;
      waiter.tick(times.longLease());
      if (waiter.has() && next.setup.allows(Choice.HAND_OFF)) {
        stay(next, waiter);
      }
    }
    next.kept = isKeptFromOthers(next) ? next.kept + 1 : next.kept;
    next.unused = isKeptUnused(next) ? next.unused + 1 : next.unused;
    next.store.tick(times);
    if (next.replica != next.store) {
      next.replica.tick(times);
    }
    List<Message> messages = next.messages;
    messages.replaceAll(each -> each.older(times.timeout()));
    messages.removeIf(each -> each.kind() == Message.Kind.GRANTED && each.unheard());
  }
}
