package io.mortise.internal.wire;

import io.mortise.internal.wire.LockKind.Family;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Makes calls of the scripts of all kinds of lock, and fills in the arguments that do not change.
 */
public final class LockScripts {
  /** The facts of an acquisition that a script needs. */
  public interface Subject {
    /** The keys of its lock. */
    LockKeys keys();

    /** The acquisition id. */
    String id();

    /** The ticket of its place in the queue, or an empty text. */
    String ticket();

    /** Whether a command of it got no answer and may still arrive. */
    boolean mayArriveLate();
  }

  private static final Map<Family, Script> ACQUIRE =
      scripts("acquire", EnumSet.allOf(Family.class));

  /** What a script does first if it is asked for a vote. */
  private static final String VOTES = ScriptFiles.read("process") + ScriptFiles.read("vote");

  private static final Map<Family, Script> VOTE = votes();
  private static final Map<Family, Script> LEAVE = scripts("leave", EnumSet.allOf(Family.class));
  private static final Map<Family, Script> FORCE =
      scripts("force", EnumSet.complementOf(EnumSet.of(Family.LATCH)));
  private static final Script SEM_PERMITS = script(Family.SEMAPHORE, "permits");
  private static final Script SEM_RETURN = script(Family.SEMAPHORE, "return");
  private static final Script LATCH_COUNT = script(Family.LATCH, "count");
  private static final Script RW_INSPECT = script("rw-inspect");
  private static final Script RENEW = script("renew");
  private static final Script LIST = script("list");
  private static final Script STATUS = script("status");
  private static final Script LINGER = script("linger");
  private static final Script INSPECT = script("inspect");
  private static final Script QUEUE_LENGTH = script("queue-length");
  private static final Script PROBE = script("probe");
  private static final Script CONDITION = script("condition");
  private static final Script CHECK = script("check");
  private static final Script IDENTIFY = script("identify");
  private static final Script RED_FENCE =
      Script.of("red-fence", VOTES + ScriptFiles.read("red-fence"));
  private static final Script FIRST_START = script("first-start");

  /** What the check at opening waits for its answer at least. */
  private static final Duration OPENING_TIMEOUT = Duration.ofSeconds(2);

  /** How many keys one call of the list script looks at, about. */
  private static final String LOOKED_AT = "500";

  /** How many holders and how many waiters of a lock a status has at most. */
  private static final String MOST_LISTED = "100";

  /** Says that the server is a node of a cluster, so that it answers CLUSTER. */
  private static final String CLUSTER = "cluster";

  private final ServiceOptions settings;
  private final String times;
  private final String join;
  private final String tryOnce;
  private final String fair;
  private final String none;
  private final String granting;
  private final String tombstone;
  private final String tokens;
  private final boolean cluster;

  /** The command that reaches Redisson's waiters. */
  private final String redissonPublish;

  /**
   * Fills in what does not change.
   *
   * @param publishCounts whether PUBLISH counts every subscriber
   */
  public LockScripts(ServiceOptions settings, BackendInfo store, boolean publishCounts) {
    this.settings = settings;
    cluster = store.topology() == Topology.CLUSTER;
    redissonPublish = store.shardsChannels() ? "SPUBLISH" : "PUBLISH";
    times = // joined, because a format would write the digits of the locale
        " "
            + settings.times().alive().toMillis()
            + ' '
            + settings.times().grantWindow().toMillis()
            + (publishCounts ? " 1 " : " 0 ")
            + mailPrefix(settings.keyPrefix());
    join = terms("join");
    tryOnce = terms("try");
    fair = terms("fair");
    none = terms("-");
    granting = terms(Long.toString(settings.leaseTime().toMillis()));
    tombstone = Long.toString(settings.tombstone().toMillis());
    tokens = Integer.toString(settings.mostHandOffs(LockKind.FENCED) + 1);
  }

  /** The argument that is the same in every call of this service, after the word of one script. */
  private String terms(String word) {
    return word + times;
  }

  public static String mailPrefix(String keyPrefix) {
    return keyPrefix + "mail:";
  }

  /**
   * Takes the lock if it is free, or joins its queue.
   *
   * @param join whether the id joins the queue if the lock is held
   * @param beside for a read/write lock: the id of the thread's hold of the other side, or ''
   */
  public ScriptCall acquire(Subject subject, LeaseTerms lease, boolean join, String beside) {
    LockKeys keys = subject.keys();
    String id = subject.id();
    String terms = join ? this.join : keys.isFair() ? fair : tryOnce;
    String ticket = subject.ticket();
    String last = keys.isReadWrite() ? beside : keys.kind().hasTokens() ? tokens : "";
    if (ticket.isEmpty() && last.isEmpty() && !keys.isRedisson()) {
      return acked(call(keys, ACQUIRE, List.of(id, terms, lease.millis())));
    }
    if (!keys.kind().hasTokens()) {
      return acked(call(keys, ACQUIRE, List.of(id, terms, lease.millis(), ticket, last)));
    }
    List<String> args =
        cluster
            ? List.of(id, terms, lease.millis(), ticket, last, CLUSTER)
            : List.of(id, terms, lease.millis(), ticket, last);
    return acked(call(keys, ACQUIRE, args).withEpoch());
  }

  /**
   * As {@link #acquire}, as a vote for a Redlock in quarantine.
   *
   * @param expected the server process that may vote; another one only says so
   */
  public ScriptCall vote(
      Subject subject, LeaseTerms lease, boolean join, VotingSet set, String expected) {
    ScriptCall plain = acquire(subject, lease, join, "");
    Script script = Objects.requireNonNull(VOTE.get(subject.keys().kind().family()));
    return acked(vote(script, plain.keys(), plain.args(), set, expected));
  }

  /**
   * Raises the counter of a Redlock's fencing tokens to a token, or reads it.
   *
   * @param token 0 to read
   * @param expected as for a vote
   */
  public ScriptCall redFence(LockKeys keys, long token, VotingSet set, String expected) {
    List<String> counter = List.of(keys.redCounter(settings.keyPrefix()));
    return vote(RED_FENCE, counter, List.of(Long.toString(token)), set, expected);
  }

  private ScriptCall vote(
      Script script, List<String> keys, List<String> args, VotingSet set, String expected) {
    List<String> allKeys = new ArrayList<>(keys);
    allKeys.add(marker());
    List<String> allArgs = new ArrayList<>(args);
    allArgs.add(expected);
    allArgs.add(set.text());
    allArgs.add(Long.toString(set.quarantine(settings.commandTimeout()).toMillis()));
    return call(script, allKeys, allArgs);
  }

  /** The key in which a server keeps since when it may vote, and for which set. */
  private String marker() {
    return settings.keyPrefix() + "node";
  }

  /** Looks at a part of the server's keys: whether it was ever used. */
  public ScriptCall lookUnused(String cursor) {
    return call(FIRST_START, List.of(marker()), List.of(ownKeys(), cursor));
  }

  /** The pattern of all keys with the prefix. */
  private String ownKeys() {
    return settings.keyPrefix().replaceAll("[\\[\\]*?\\\\]", "\\\\$0") + '*';
  }

  /**
   * Lists the next of the keys with the prefix.
   *
   * @param route a key that leads to the server in a cluster
   */
  public ScriptCall list(String route, String cursor) {
    return call(LIST, List.of(route), List.of(cursor, ownKeys(), LOOKED_AT));
  }

  /** Asks a cluster for its masters and their hash slots. */
  public ScriptCall masters() {
    return call(LIST, List.of(marker()), List.of("masters"));
  }

  /** Asks by which ids a lock is held and waited for. */
  public ScriptCall status(LockKeys keys) {
    return call(
        STATUS,
        List.of(keys.lock(), keys.queue(), keys.all().get(2)),
        List.of(MOST_LISTED, Long.toString(settings.times().alive().toMillis())));
  }

  /** Lets a server that was never used vote for a set at once. */
  public ScriptCall voteFromNowOn(VotingSet set) {
    return call(FIRST_START, List.of(marker()), List.of("", "vote", set.text()));
  }

  /**
   * Leaves the queue, and gives back what was granted to the id.
   *
   * @param outcomeUnknown whether the id's acquire command got no answer and may still arrive
   */
  public ScriptCall leave(LockKeys keys, String id, boolean outcomeUnknown) {
    return leave(keys, id, none, outcomeUnknown);
  }

  /** As {@link #leave}, with a timeout of its own. */
  public ScriptCall leave(Subject givenUp, Duration timeout) {
    return leave(givenUp.keys(), givenUp.id(), givenUp.mayArriveLate()).withTimeout(timeout);
  }

  /**
   * As {@link #leave}. The reply may grant the lock to acquisitions of this service, and lists
   * them.
   */
  public ScriptCall release(Subject ended) {
    LockKeys keys = ended.keys();
    return leave(
        keys,
        ended.id(),
        keys.kind().mayBeGrantedInReply() ? granting : none,
        ended.mayArriveLate());
  }

  /**
   * Grants a free lock to the first live waiter, after a script that stopped before it. The reply
   * is that of {@link #release}.
   *
   * @param id an id of this service that neither holds nor waits
   */
  public ScriptCall goOn(LockKeys keys, String id) {
    return leave(keys, id, keys.kind().mayBeGrantedInReply() ? granting : none, false);
  }

  /**
   * Ends a hold, and keeps its place taken for a rest of time.
   *
   * @param rest how long (ns); rounded up, because an expiry may come up to a millisecond early
   */
  public ScriptCall linger(Subject ended, long rest) {
    LockKeys keys = ended.keys();
    List<String> args =
        List.of(
            ended.id(),
            AcquisitionId.ofRest(ended.id(), keys),
            Long.toString(TimeUnit.NANOSECONDS.toMillis(rest) + 1),
            ended.mayArriveLate() ? tombstone : "0");
    List<String> all = List.of(keys.lock(), keys.queue(), keys.all().get(2));
    return call(LINGER, all, publishing(keys, args));
  }

  /**
   * Gives back a part of the permits that an id holds.
   *
   * @param sum how many it has given back so far, with these
   * @param grants whether the reply may grant permits to acquisitions of this service, and lists
   *     them
   */
  public ScriptCall giveBack(Subject holder, int sum, boolean grants) {
    String terms = grants ? granting : none;
    return call(
        SEM_RETURN, holder.keys().all(), List.of(holder.id(), terms, Integer.toString(sum)));
  }

  private ScriptCall leave(LockKeys keys, String id, String terms, boolean outcomeUnknown) {
    if (!outcomeUnknown && !keys.isRedisson()) {
      return call(keys, LEAVE, List.of(id, terms));
    }
    return call(keys, LEAVE, List.of(id, terms, outcomeUnknown ? tombstone : "0"));
  }

  /**
   * Ends holds of a lock.
   *
   * @param id the only id whose hold may end; '' for any
   */
  public ScriptCall force(LockKeys keys, String id) {
    return call(keys, FORCE, List.of(AcquisitionId.suffix(keys), none, tombstone, id));
  }

  public ScriptCall renew(List<? extends Subject> held, LeaseTerms lease) {
    List<String> keys = new ArrayList<>(held.size());
    List<String> args = new ArrayList<>(held.size() + 1);
    args.add(lease.millis());
    for (Subject each : held) {
      keys.add(each.keys().lock());
      args.add(each.id());
    }
    return acked(call(RENEW, keys, args));
  }

  public ScriptCall inspect(LockKeys keys) {
    return inspect(keys, List.of(keys.lock()));
  }

  /** As {@link #inspect}. The reply also has a holder and the number of waiters. */
  public ScriptCall inspectHolder(LockKeys keys) {
    return inspect(keys, List.of(keys.lock(), keys.queue()));
  }

  private ScriptCall inspect(LockKeys keys, List<String> some) {
    return call(keys.kind() == LockKind.READ ? RW_INSPECT : INSPECT, some, List.of());
  }

  /** Counts the waiters of a lock. */
  public ScriptCall queueLength(LockKeys keys) {
    return call(QUEUE_LENGTH, List.of(keys.queue()), List.of());
  }

  /** Sends a probe to all that hold a lock. */
  public ScriptCall probe(LockKeys keys, Probe probe) {
    List<String> all = keys.all();
    List<String> held = keys.isReadWrite() ? List.of(all.get(0), all.get(3)) : all.subList(0, 1);
    return call(PROBE, held, List.of(mailPrefix(settings.keyPrefix()), probe.text()));
  }

  public ScriptCall condition(List<String> keys, String id, String step) {
    return call(CONDITION, keys, List.of(id, terms(step), tombstone));
  }

  /**
   * Reads or sets the number of permits of a semaphore.
   *
   * @param mode {@code once}, {@code resize} or {@code look}
   */
  public ScriptCall permits(LockKeys keys, String mode, int permits) {
    return call(SEM_PERMITS, keys.all(), List.of("", terms(mode), Integer.toString(permits)));
  }

  /**
   * Reads, sets or counts down a latch.
   *
   * @param id the id of this step; '' to look
   * @param mode {@code set}, {@code down}, {@code delete} or {@code look}
   */
  public ScriptCall count(LockKeys keys, String id, String mode, long count) {
    return call(LATCH_COUNT, keys.all(), List.of(id, terms(mode), Long.toString(count), tombstone));
  }

  /** Identifies the server that has the lock. */
  public ScriptCall identify(LockKeys keys) {
    return call(IDENTIFY, keys.all().subList(0, 1), cluster ? List.of(CLUSTER) : List.of());
  }

  /**
   * Tries what locks need. No lease ends meanwhile, and the process may have just started, so this
   * waits 2 s at least.
   *
   * @param unused the keys of a name that no other client uses
   * @param mailbox the channel of this service
   */
  public ScriptCall check(LockKeys unused, String mailbox) {
    Duration timeout = settings.commandTimeout();
    return acked(
        new ScriptCall(
            CHECK,
            unused.all().subList(0, 2),
            publishing(unused, List.of(mailbox)),
            timeout.compareTo(OPENING_TIMEOUT) < 0 ? OPENING_TIMEOUT : timeout));
  }

  private static Map<Family, Script> scripts(String step, Set<Family> families) {
    Map<Family, Script> scripts = new EnumMap<>(Family.class);
    families.forEach(family -> scripts.put(family, script(family, step)));
    return scripts;
  }

  /** The acquire scripts with the check of the vote in front. */
  private static Map<Family, Script> votes() {
    Map<Family, Script> scripts = new EnumMap<>(Family.class);
    for (Family family : EnumSet.of(Family.EXCLUSIVE, Family.REDISSON, Family.READ_WRITE)) {
      Script acquire = Objects.requireNonNull(ACQUIRE.get(family));
      scripts.put(family, Script.of(family.prefix() + "vote", VOTES + acquire.source()));
    }
    return scripts;
  }

  private ScriptCall call(LockKeys keys, Map<Family, Script> scripts, List<String> args) {
    Script script = Objects.requireNonNull(scripts.get(keys.kind().family()));
    return call(script, keys.all(), publishing(keys, args));
  }

  /** The arguments, and behind them how the waiters of a lock shared with Redisson are reached. */
  private List<String> publishing(LockKeys keys, List<String> args) {
    if (!keys.isRedisson()) {
      return args;
    }
    List<String> more = new ArrayList<>(args);
    more.add(redissonPublish);
    more.add(keys.redissonChannel());
    return more;
  }

  private ScriptCall call(Script script, List<String> keys, List<String> args) {
    return new ScriptCall(script, keys, args, settings.commandTimeout());
  }

  /** The call, with what the service asks of replicas. */
  private ScriptCall acked(ScriptCall call) {
    return settings.replicaAcks() == null ? call : call.withAcks(settings.replicaAcks());
  }

  private static Script script(String name) {
    return ScriptFiles.script(name, "");
  }

  private static Script script(Family family, String step) {
    return ScriptFiles.script(family.prefix() + step, family.freed());
  }
}
