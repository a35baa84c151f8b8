package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.Threads;
import io.mortise.backend.support.sentinel.SentinelNodes.Sentinel;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Listens to all sentinels of a master, and asks them. The first sentinels that are asked are those
 * of the URI. They name the others.
 *
 * <p>Whom to believe: each failover has a number, the <em>epoch</em>, and sentinels report it with
 * the master's address. A sentinel that was down during a failover reports the old master with a
 * lower epoch, so the highest epoch wins. One answer is worth less than all others. A sentinel that
 * leads a failover reports the new epoch with the address of the old master, until the failover has
 * ended. Such an answer counts only while no other is known.
 *
 * <p>A message says only that something has changed, without an epoch. So each message makes this
 * class ask the sentinel that sent it.
 *
 * <p>Each link has a thread of its own, and no link makes another one ask. So a sentinel that is
 * dead or silent delays no other, and two that know each other cannot keep each other busy. A link
 * that fails is tried again after a pause that grows. Its place is forgotten if the living
 * sentinels do not know it and the URI does not name it. Thread-safe.
 */
final class SentinelWatch {
  /** The epoch of an answer that counts less than any other. */
  private static final long CHANGING = -1;

  /** The first pause of a link that has failed, and the least time between two polls of one. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

  /** While no sentinel is heard, a dead one is tried more often, as is one that refuses to tell. */
  private static final Duration LONGEST_WITHOUT_NEWS = Duration.ofSeconds(2);

  private static final Duration LONGEST_DEAF = Duration.ofSeconds(10);

  /**
   * The answer of a sentinel.
   *
   * @param place the master's host and port
   * @param epoch the number of the failover that made it the master
   * @param downAfter how long it is silent before the sentinel believes that it is down
   */
  record Master(String place, long epoch, Duration downAfter) {}

  private final SentinelNodes nodes;
  private final String name;
  private final Consumer<Master> answers;
  private final TimeSource time;
  private final Map<String, Link> links = new ConcurrentSkipListMap<>();

  /** The sentinels of the URI, which are never forgotten. */
  private volatile Set<String> given = Set.of();

  private volatile boolean closed;

  /**
   * @param name the name by which the sentinels know the master
   * @param answers receives every answer, also repeated and outdated ones
   */
  SentinelWatch(SentinelNodes nodes, String name, Consumer<Master> answers) {
    this(nodes, name, answers, TimeSource.system());
  }

  SentinelWatch(SentinelNodes nodes, String name, Consumer<Master> answers, TimeSource time) {
    this.nodes = nodes;
    this.name = name;
    this.answers = answers;
    this.time = time;
  }

  /** Connects to the sentinels. The future ends when each is asked and heard, or has failed. */
  CompletableFuture<Void> open(List<String> places) {
    given = Set.copyOf(places);
    places.forEach(this::add);
    return CompletableFuture.allOf(
        links.values().stream()
            .filter(link -> given.contains(link.place))
            .flatMap(link -> Stream.of(link.asked, link.heard))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Whether a sentinel would tell of a new master. */
  boolean isListening() {
    return links.values().stream().anyMatch(link -> link.listening);
  }

  /** As {@link #isListening}, of a sentinel that has also answered all that it was asked. */
  boolean isReady() {
    return links.values().stream().anyMatch(link -> link.listening && link.failure.isEmpty());
  }

  /** Asks a sentinel that is new here. One that is known is left in peace. */
  private void add(String place) {
    if (!links.containsKey(place)) {
      Link link = new Link(place);
      if (links.putIfAbsent(place, link) == null) {
        link.ask();
      }
      if (closed) {
        link.end();
      }
    }
  }

  /** Asks each connected sentinel that was not asked during the last second. Does not wait. */
  void askAll() {
    links.values().stream().filter(Link::isDue).forEach(Link::ask);
  }

  /** Nobody has told the last news: also those that rest may be back. */
  private void tryAll() {
    links.values().forEach(Link::ask);
  }

  /** Whether the living sentinels do not know this one. They may not have told yet. */
  private boolean isForgotten(String place) {
    List<Link> living = links.values().stream().filter(Link::isConnected).toList();
    return !given.contains(place)
        && !living.isEmpty()
        && living.stream().noneMatch(link -> link.others == null || link.others.contains(place));
  }

  /** Why sentinels did not answer, or cannot be heard, for a message. */
  String failures() {
    return links.values().stream()
        .flatMap(link -> Stream.of(link.failure, link.deafness))
        .filter(failure -> !failure.isEmpty())
        .collect(Collectors.joining("; "));
  }

  /** The exception of the first failure; null if there is none. */
  @Nullable Throwable cause() {
    Throwable first = null;
    for (Link link : links.values()) {
      first = first == null ? link.cause : first;
    }
    return first;
  }

  /** Closes all links. Returns their threads, to be ended as those of the master. */
  List<ScheduledThreadPoolExecutor> close() {
    closed = true;
    links.values().forEach(Link::end);
    return links.values().stream().map(link -> link.turns).toList();
  }

  private static Map<String, String> facts(Object reply) {
    List<?> words = (List<?>) reply;
    Map<String, String> facts = new HashMap<>();
    for (int i = 0; i + 1 < words.size(); i += 2) {
      facts.put(String.valueOf(words.get(i)), String.valueOf(words.get(i + 1)));
    }
    return facts;
  }

  private static String place(Map<String, String> facts) {
    String host = String.valueOf(facts.get("ip"));
    return (host.contains(":") ? '[' + host + ']' : host) + ':' + facts.get("port");
  }

  /**
   * The link to one sentinel. Its own thread asks, and it alone makes and drops the connection,
   * except at the end. Requests that come while it asks are served by one more question.
   */
  private final class Link implements ChannelListener {
    private final String place;
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private final CompletableFuture<Void> heard = new CompletableFuture<>();
    private final ScheduledThreadPoolExecutor turns = Threads.daemons("mortise-sentinel-asker", 1);

    /** Requests to ask that are not served yet. */
    private final AtomicInteger requests = new AtomicInteger();

    private volatile @Nullable Sentinel sentinel;
    private volatile @Nullable Subscription news;
    private volatile boolean listening;
    private volatile String failure;
    private volatile String deafness = "";
    private volatile @Nullable Throwable cause;

    /** The places that this sentinel knows; null until it has told them. */
    private volatile @Nullable Set<String> others;

    private volatile long askedAt = time.nanoTime();
    private volatile boolean over;
    private volatile TimeSource.Timer retry = () -> {};

    /** How often in a row the sentinel could not be asked and heard. */
    private int failures;

    Link(String place) {
      this.place = place;
      failure = "sentinel " + place + " has not answered yet";
    }

    boolean isConnected() {
      return sentinel != null;
    }

    boolean isDue() {
      return isConnected() && time.nanoTime() - askedAt >= PAUSE.toNanos();
    }

    void ask() {
      if (!over && requests.getAndIncrement() == 0) {
        try {
          turns.execute(this::serve);
        } catch (Error e) { // no thread can be made: the next request tries again
          requests.set(0);
          throw e;
        }
      }
    }

    /** Asks once more if a request came while the sentinel was being asked. */
    private void serve() {
      int served;
      do {
        served = requests.get();
        try {
          tryToAsk();
        } catch (RuntimeException | Error e) { // no later try was planned, so this thread does it
          LockSupport.parkNanos(this, PAUSE.toNanos());
          requests.incrementAndGet();
        }
        asked.complete(null);
      } while (requests.addAndGet(-served) > 0);
    }

    private void tryToAsk() {
      if (over) {
        return;
      }
      try {
        askedAt = time.nanoTime();
        askOnce(connected());
        failure = "";
        cause = null;
        listen();
      } catch (Exception | Error e) {
        failure = reason(e);
        cause = e;
        if (!(e instanceof BackendException reply && reply.outcome() == Outcome.REPLIED)) {
          drop(); // one that answers is kept: another connection would get the same answer
        }
        if (isConnected() || !isForgotten(place)) {
          tryLater(LONGEST_WITHOUT_NEWS);
        } else {
          links.remove(place, this);
          end();
        }
      }
    }

    /** Notes the end of a failure. A subscription that was refused or lost is made again later. */
    private void listen() {
      if (listening) {
        failures = 0;
        retry.close();
      } else if (!deafness.isEmpty() && news != null) {
        leave();
        tryLater(LONGEST_DEAF);
      }
    }

    private void tryLater(Duration longestWithoutNews) {
      Duration grown = PAUSE.multipliedBy(1L << Math.min(failures++, 6));
      Duration most = isListening() ? LONGEST_PAUSE : longestWithoutNews;
      retry.close();
      retry = time.schedule(this::tryAgain, grown.compareTo(most) < 0 ? grown : most);
      if (over) {
        retry.close();
      }
    }

    private void tryAgain() {
      deafness = "";
      try {
        ask();
      } catch (Error e) { // no thread can be made
        retry = time.schedule(this::tryAgain, LONGEST_WITHOUT_NEWS);
        if (over) {
          retry.close();
        }
      }
    }

    private Sentinel connected() {
      Sentinel link = sentinel;
      if (link == null) {
        link = nodes.sentinel(place);
        sentinel = link;
        deafness = "";
      }
      if (news == null && deafness.isEmpty()) {
        news = link.subscribe("+switch-master", this);
      }
      if (over) {
        drop();
        throw new IllegalStateException("the backend is closed");
      }
      return link;
    }

    private void askOnce(Sentinel link) throws Exception {
      Map<String, String> facts = facts(link.ask("SENTINEL", "MASTER", name));
      boolean changing = String.valueOf(facts.get("flags")).contains("failover_in_progress");
      long epoch = Long.parseLong(String.valueOf(facts.get("config-epoch")));
      Duration silence =
          Duration.ofMillis(Long.parseLong(facts.getOrDefault("down-after-milliseconds", "0")));
      answers.accept(new Master(place(facts), changing ? CHANGING : epoch, silence));
      long known = Long.parseLong(String.valueOf(facts.get("num-other-sentinels")));
      long living = links.values().stream().filter(Link::isConnected).count();
      if (living <= known || links.size() > known + 1) {
        Set<String> told =
            link.ask("SENTINEL", "SENTINELS", name).stream()
                .map(other -> place(facts(other)))
                .collect(Collectors.toSet());
        others = told;
        told.forEach(SentinelWatch.this::add);
      }
    }

    private String reason(Throwable e) {
      if (e instanceof TimeoutException) {
        return "sentinel " + place + " did not answer SENTINEL MASTER in time";
      }
      String said = String.valueOf(e.getMessage());
      if (e instanceof BackendException reply && reply.outcome() == Outcome.REPLIED) {
        said = "sentinel " + place + " refused SENTINEL MASTER: " + said;
      }
      return said.contains("ERR No such master")
          ? "sentinel %s knows no master '%s', it knows %s".formatted(place, name, names())
          : said;
    }

    /** The names of the masters that the sentinel knows. */
    private String names() {
      try {
        return connected().ask("SENTINEL", "MASTERS").stream()
            .map(master -> "'" + facts(master).get("name") + "'")
            .collect(Collectors.joining(", "));
      } catch (Exception e) {
        return "others (" + e.getMessage() + ")";
      }
    }

    void end() {
      over = true;
      retry.close();
      drop();
      turns.shutdown();
    }

    private void drop() {
      leave();
      Sentinel link = sentinel;
      sentinel = null;
      others = null;
      heard.complete(null);
      if (link != null) {
        link.close();
      }
    }

    private void leave() {
      Subscription from = news;
      news = null;
      deafen();
      if (from != null) {
        from.close();
      }
    }

    private void deafen() {
      boolean wasListening = listening;
      listening = false;
      if (wasListening && !closed && !isListening()) {
        tryAll();
      }
    }

    @Override
    public void onSubscribed() {
      listening = true;
      deafness = "";
      heard.complete(null);
      ask();
    }

    @Override
    public void onMessage(String message) {
      ask();
    }

    @Override
    public void onInterrupted(Throwable lost) {
      deafness = "sentinel " + place + " cannot be heard: " + lost.getMessage();
      cause = lost;
      deafen();
      heard.complete(null);
      ask();
    }
  }
}
